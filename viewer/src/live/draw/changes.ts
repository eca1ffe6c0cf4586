// What each tool writes into the model: entries of its text, as the program's `change-text` takes them.
import { Vector3 } from "three";
import { GROUND, type Scene } from "../../common/scene";
import type { MechanismView } from "../../render/mechanism";
import type { Spot } from "./snap";

export interface Change {
  path: string[];
  value?: string; // YAML; none: the entry goes
}

const LINEAR_MASS = 1; // kg/m of a drawn link
const AREA_MASS = 10; // kg/m² of a drawn plate

export const decimal = (x: number): string => String(Number(x.toPrecision(6)) || 0);

// Names that are free, each given once.
export class Names {
  private readonly taken: Set<string>;

  constructor(scene: Scene, parameters: Iterable<string>) {
    const { bodies, joints, points, forces, drivers, stops } = scene;
    const parts = [bodies, joints, points, forces, drivers, stops].flatMap((list) => list.map((x) => x.name));
    this.taken = new Set([...parts, ...parameters, GROUND, "t", "pi"]);
  }

  // A, B, …, Z, A1, …: `t` is the time.
  point(): string {
    for (let round = 0; ; ++round)
      for (const letter of "ABCDEFGHIJKLMNOPQRSUVWXYZ") {
        const name = round ? `${letter}${round}` : letter;
        if (this.take(name)) return name;
      }
  }

  numbered(stem: string): string {
    for (let k = 1; ; ++k) if (this.take(`${stem}${k}`)) return `${stem}${k}`;
  }

  private take(name: string): boolean {
    if (this.taken.has(name)) return false;
    this.taken.add(name);
    return true;
  }
}

// Entries of one drawn thing.
export class Pencil {
  readonly changes: Change[] = [];

  constructor(
    private readonly view: MechanismView,
    readonly names: Names,
  ) {}

  set(path: string[], value: string): void {
    this.changes.push({ path, value });
  }

  vector(p: Vector3): string {
    const parts = this.view.scene.planar ? [p.x, p.y] : [p.x, p.y, p.z];
    return `[${parts.map(decimal).join(", ")}]`;
  }

  // The name of a point at a spot: one that is there, or a new one, which a body under it carries.
  point(spot: Spot): string {
    if (spot.point) return spot.point;
    const name = this.names.point();
    this.set(["points", name], this.vector(spot.world));
    if (spot.body) this.carry(spot.body, name, spot.world);
    spot.point = name;
    return name;
  }

  carry(body: string, point: string, world: Vector3): void {
    this.set(["bodies", body, "carries", point], this.vector(this.view.local(body, world)));
  }

  // A place that a spring may end at: ground's where nothing is drawn.
  place(spot: Spot): string {
    if (spot.point || spot.body) return this.point(spot);
    return `{body: ${GROUND}, at: ${this.vector(spot.world)}}`;
  }

  link(a: Spot, b: Spot, typed?: number): string {
    const name = this.names.numbered("link");
    const length = typed ?? a.world.distanceTo(b.world);
    const ends = [this.point(a), this.point(b)];
    const mass = Number((LINEAR_MASS * length).toPrecision(3));
    this.set(["bodies", name], `{rod: [${ends.join(", ")}], mass: ${decimal(mass)}, length: ${decimal(length)}}`);
    return name;
  }

  // An even plate with these corners, its origin in the first.
  plate(corners: Spot[]): string {
    const name = this.names.numbered("body");
    const from = corners[0]!.world;
    const at = corners.map((c) => c.world.clone().sub(from));
    const { area, middle, inertia } = areaOf(at);
    const carried = corners.map((c, i) => `${this.point(c)}: ${this.vector(at[i]!)}`);
    this.set(
      ["bodies", name],
      `{mass: ${decimal(AREA_MASS * area)}, inertia: ${decimal(AREA_MASS * inertia)}, com: ${this.vector(middle)}, at: ${this.vector(from)}, carries: {${carried.join(", ")}}}`,
    );
    return name;
  }

  ground(spot: Spot): string {
    const name = this.point(spot);
    const known = this.view.scene.points.find((p) => p.name === name);
    const fixed = known?.on.some((m) => m.body === GROUND) ?? false;
    const at = this.vector(spot.world);
    this.set(["points", name], fixed ? at : `{at: ${at}, on: ground}`);
    return name;
  }

  slider(spot: Spot, direction: Vector3): string {
    const point = this.point(spot);
    const name = this.names.numbered("slider");
    const along = this.vector(direction.clone().normalize());
    this.set(["joints", name], `{point-on-line: ${point}, through: ${this.vector(spot.world)}, along: ${along}}`);
    return name;
  }

  weld(a: string, b: string): string {
    const name = this.names.numbered("weld");
    this.set(["joints", name], `{fixed: [${a}, ${b}]}`);
    return name;
  }

  spring(a: Spot, b: Spot, stiffness: number, damping: number): string {
    const name = this.names.numbered(stiffness ? "spring" : "damper");
    const ends = [this.place(a), this.place(b)];
    const numbers = stiffness ? `stiffness: ${decimal(stiffness)}` : `damping: ${decimal(damping)}`;
    this.set(["forces", name], `{spring: [${ends.join(", ")}], ${numbers}}`);
    return name;
  }

  motor(of: string, speed: string): string {
    const name = this.names.numbered("motor");
    this.set(["drivers", name], `{speed: ${of}, equals: ${speed}}`);
    return name;
  }

  // Pitch circles that touch between the centres; ratio: the second turns so many times slower.
  gears(bodies: [string, string], centres: [Spot, Spot], ratio: number): string {
    const name = this.names.numbered("gears");
    const distance = centres[0].world.distanceTo(centres[1].world);
    const radii = [distance / (1 + ratio), (distance * ratio) / (1 + ratio)];
    const places = centres.map((c) => this.point(c));
    this.set(
      ["joints", name],
      `{gear-pair: [${bodies.join(", ")}], radii: [${radii.map(decimal).join(", ")}], centers: [${places.join(", ")}]}`,
    );
    return name;
  }
}

// Area, centroid and second moment about it of a polygon (Green's theorem).
export function areaOf(corners: Vector3[]): { area: number; middle: Vector3; inertia: number } {
  let [twice, mx, my, second] = [0, 0, 0, 0];
  corners.forEach((p, i) => {
    const q = corners[(i + 1) % corners.length]!;
    const cross = p.x * q.y - q.x * p.y;
    twice += cross;
    mx += (p.x + q.x) * cross;
    my += (p.y + q.y) * cross;
    second += cross * (p.x * p.x + p.x * q.x + q.x * q.x + p.y * p.y + p.y * q.y + q.y * q.y);
  });
  const area = twice / 2;
  const middle = new Vector3(mx / (6 * area), my / (6 * area), 0);
  const inertia = second / 12 - area * middle.lengthSq();
  return { area: Math.abs(area), middle, inertia: Math.abs(inertia) };
}
