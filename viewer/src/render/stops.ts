// End-stops, where they limit a joint: blocks on the second body, at the place that the first meets.
//
// A coordinate is s now and l at the stop: what turns meets it turned by l − s about the joint's axis, what slides
// moved by l − s along it. So they are placed once, by the first value of the coordinate that is known.
import { BoxGeometry, Group, Mesh, type Object3D, Quaternion, Vector3 } from "three";
import { type Joint, type Marker, type Scene, type Stop } from "../common/scene";
import type { Looks } from "./looks";
import { attachments, type Measure } from "./measure";
import { rodGeometry, Span } from "./spans";

export interface StopHost {
  readonly scene: Scene;
  readonly size: Measure;
  place(marker: { body: string; at: ArrayLike<number> }, result: Vector3): Vector3;
  direction(marker: Marker, result: Vector3): Vector3; // world, of a vector of the marker's own axes
  local(body: string, world: Vector3): Vector3;
  localDirection(body: string, world: Vector3): Vector3;
  attach(body: string, object: Object3D): void;
}

// The signal that tells where a stopped joint is.
export const stopSignal = (joint: Joint) => `${joint.name}.${joint.coordinates[0] ?? "angle"}`;

export class Stops {
  private waiting: { stop: Stop; joint: Joint }[];

  constructor(
    private readonly host: StopHost,
    private readonly looks: Looks,
  ) {
    this.waiting = host.scene.stops.flatMap((stop) => {
      const joint = host.scene.joints.find((j) => j.name === stop.joint);
      const shaped = joint?.markers.some((m) => host.scene.bodies.find((b) => b.name === m.body)?.drawn?.length);
      // A body with shapes of its own has its stops in them, or hidden.
      return joint && joint.markers.length > 1 && !shaped ? [{ stop, joint }] : [];
    });
  }

  signals(): string[] {
    return this.waiting.map(({ joint }) => stopSignal(joint));
  }

  // value: of a signal now; NaN where it is not known.
  update(value: (name: string) => number): void {
    if (this.waiting.length === 0) return;
    this.waiting = this.waiting.filter(({ stop, joint }) => {
      const now = value(stopSignal(joint));
      if (!Number.isFinite(now)) return true;
      for (const limit of [stop.lower, stop.upper])
        if (limit !== null) this.draw(joint, limit - now, limit === stop.upper ? 1 : -1);
      return false;
    });
  }

  private draw(joint: Joint, way: number, side: number): void {
    const [first, second] = joint.markers as [Marker, Marker];
    const { host } = this;
    const turns = joint.coordinates[0] === "angle";
    const { planar } = host.scene;
    const axis = host.direction(second, turns || !planar ? new Vector3(0, 0, 1) : new Vector3(1, 0, 0));
    const u = host.size.unit;
    const at = host.place(first, new Vector3());
    const block = new Mesh(
      turns ? new BoxGeometry(1.2 * u, 0.5 * u, 1.6 * u) : new BoxGeometry(0.6 * u, 3.4 * u, 3.4 * u),
      this.looks.drive,
    );
    const along = turns ? this.turned(first, axis, way) : axis.clone();
    if (turns) {
      // beside the body that comes, not in it
      const aside = new Vector3().crossVectors(axis, along).multiplyScalar(side * 1.25 * u);
      at.addScaledVector(along, this.radius(first)).add(aside);
    } else at.addScaledVector(axis, way + side * 1.9 * u);
    if (planar) at.z = 0.4 * u;
    const up = planar ? new Vector3(0, 0, 1) : turns ? axis : across(along);
    block.position.copy(host.local(second.body, at));
    block.quaternion.copy(basis(host.localDirection(second.body, along), host.localDirection(second.body, up)));
    const group = new Group();
    group.add(block);
    if (turns) group.add(this.arm(second.body, host.place(first, new Vector3()), at));
    host.attach(second.body, group);
  }

  // From the joint to the block that it holds.
  private arm(body: string, joint: Vector3, block: Vector3): Mesh {
    const { host } = this;
    const arm = new Span(rodGeometry(), this.looks.drive, 0.22 * host.size.unit);
    if (host.scene.planar) joint.z = block.z;
    arm.stretch(host.local(body, joint), host.local(body, block));
    return arm.mesh;
  }

  // Where the first body points when it meets the stop.
  private turned(first: Marker, axis: Vector3, way: number): Vector3 {
    const { host } = this;
    const body = host.scene.bodies.find((b) => b.name === first.body);
    const origin = host.place(first, new Vector3());
    const out = new Vector3();
    for (const place of [...attachments(host.scene, first.body), body?.com ?? ([0, 0, 0] as const)]) {
      const d = host.place({ body: first.body, at: place }, new Vector3()).sub(origin).projectOnPlane(axis);
      if (d.length() > out.length()) out.copy(d);
    }
    if (out.length() === 0) out.copy(across(axis));
    return out.normalize().applyAxisAngle(axis, way);
  }

  private radius(first: Marker): number {
    const { host } = this;
    const origin = host.place(first, new Vector3());
    const reach = attachments(host.scene, first.body).map((p) =>
      host.place({ body: first.body, at: p }, new Vector3()).distanceTo(origin),
    );
    return Math.min(Math.max(3 * host.size.unit, 0.4 * Math.max(0, ...reach)), 8 * host.size.unit);
  }
}

// Any direction across another.
function across(n: Vector3): Vector3 {
  return new Vector3(Math.abs(n.x) < 0.9 ? 1 : 0, Math.abs(n.x) < 0.9 ? 0 : 1, 0).cross(n).normalize();
}

// x along one direction, z nearly along another.
function basis(x: Vector3, z: Vector3): Quaternion {
  const first = x.clone().normalize();
  const up = z.clone().projectOnPlane(first).normalize();
  const turn = new Quaternion().setFromUnitVectors(new Vector3(1, 0, 0), first);
  const now = new Vector3(0, 0, 1).applyQuaternion(turn);
  return new Quaternion().setFromUnitVectors(now, up).multiply(turn);
}
