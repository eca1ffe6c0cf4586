// The scene as the program writes it (src/results/scene/scene.h): what a page draws, until the mechanism is changed.

export type Triple = [number, number, number];
export type Quaternion = [number, number, number, number]; // w x y z

export interface Marker {
  body: string;
  at: Triple;
  q: Quaternion;
}

export type Colour = [number, number, number, number]; // red, green, blue, opacity, of one

// In the body's axes; lengths as the program's Shape has them.
export interface BodyShape {
  kind: "box" | "cylinder" | "sphere" | "capsule" | "mesh" | "ellipsoid" | "bar";
  size: Triple;
  at: Triple;
  q: Quaternion;
  colour?: Colour; // else the body's
  mesh?: number; // its surface: index into the scene's meshes
  missing?: string; // the file of a mesh that cannot be read
}

// A surface of triangles, in m.
export interface Surface {
  positions: string; // base64 of float32: x y z of each vertex
  corners: string; // base64 of uint32: three vertices of each triangle
  low: Triple; // the box around it
  high: Triple;
}

export interface Body {
  name: string;
  kind: "rod" | "rigid" | "point-mass";
  mass: number;
  com: Triple;
  inertia: number[];
  length: number;
  placement: { at: Triple; q: Quaternion };
  points: Record<string, Triple>;
  size: { half: Triple; q: Quaternion };
  shape?: BodyShape; // what the mass fills, if the model says so
  colour?: Colour;
  drawn?: BodyShape[]; // what it looks like, if the model says so
}

export interface Point {
  name: string;
  at: Triple;
  on: Marker[];
}

export interface Joint {
  name: string;
  kind: string; // as the model file spells it
  drawn: string; // how it is drawn: a word of the program's table of kinds
  coordinates: string[]; // angle, displacement
  markers: Marker[];
  of: string[];
  value: number;
  armature?: number; // of a rotor that turns with the coordinate
  radii?: [number, number | null]; // of gears; negative: toothed inside; null: a rack. Of pulleys; negative: the belt runs clockwise
  helix?: number; // of gears, rad; of a worm its lead angle
  cones?: [number, number]; // of bevel gears: half the angles of their cones, rad
}

export interface Driver {
  name: string;
  kind: string;
  of: string;
  markers: Marker[];
  equals: string[];
}

export interface Force {
  name: string;
  kind: string;
  drawn: string;
  markers: Marker[];
  of?: string;
  components?: string[];
  body_fixed?: boolean;
  joints?: string[]; // of a tendon
  coefficients?: number[];
  radii?: [number, number]; // of the pulleys of a belt
}

export interface Stop {
  name: string;
  joint: string;
  lower: number | null;
  upper: number | null;
}

export interface Scene {
  name: string;
  planar: boolean;
  gravity: Triple;
  parameters: Record<string, number>;
  bodies: Body[];
  points: Point[];
  joints: Joint[];
  drivers: Driver[];
  stops: Stop[];
  forces: Force[];
  coordinates: string[];
  ground: { drawn: BodyShape[] };
  meshes: Surface[];
  notes: string[]; // of meshes: which are not there, or are drawn more coarsely
}

export const GROUND = "ground";

// A few of them, as one text.
export function drawingNotes(notes: string[]): string {
  const most = 4;
  const more = notes.length > most ? [`and ${notes.length - most} more`] : [];
  return `The picture: ${[...notes.slice(0, most), ...more].join("; ")}.`;
}

// What a person can select.
export type PartKind = "body" | "joint" | "force" | "driver";
export interface Part {
  kind: PartKind;
  name: string;
}

export function samePart(a: Part | null, b: Part | null): boolean {
  return a === b || (a !== null && b !== null && a.kind === b.kind && a.name === b.name);
}

// Poses of all bodies, as frames hold them: per body x y z of the origin, then w x y z of the axes.
export const POSE = 7;

export function startPoses(scene: Scene): Float32Array {
  const poses = new Float32Array(POSE * scene.bodies.length);
  scene.bodies.forEach((body, i) => poses.set([...body.placement.at, ...body.placement.q], POSE * i));
  return poses;
}
