// An empty sheet, in the plane or in space: what is drawn first makes a model of it.
import type { Scene } from "../../common/scene";

export function emptyScene(planar: boolean): Scene {
  return {
    name: "drawing",
    planar,
    gravity: planar ? [0, -9.81, 0] : [0, 0, -9.81],
    parameters: {},
    bodies: [],
    points: [],
    joints: [],
    drivers: [],
    stops: [],
    forces: [],
    coordinates: [],
    ground: { drawn: [] },
    meshes: [],
    notes: [],
  };
}

export function emptyText(planar: boolean): string {
  const plane = planar ? "plane: xy\ngravity: [0, -9.81]" : "gravity: [0, 0, -9.81]";
  return `trammel: 1\nname: drawing\n${plane}\nbodies: {}\nsimulate: {duration: 10 s, step: 1 ms}\n`;
}
