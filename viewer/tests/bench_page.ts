// The page's own work per frame, without rasterizing: decode, keep the signals, move the scene. The mechanism is a
// chain of rods in space with a spring to every tenth, all reactions drawn as arrows.
import { Scene as Scene3 } from "three";
import { POSE, type Scene, type Marker } from "../src/common/scene";
import { initTheme } from "../src/common/theme";
import { History } from "../src/live/history";
import { Picture } from "../src/live/picture";
import { Frame } from "../src/live/protocol";

const marker = (body: string, x: number): Marker => ({ body, at: [x, 0, 0], q: [1, 0, 0, 0] });

function chain(count: number): Scene {
  const name = (i: number) => (i < 0 ? "ground" : `rod${i}`);
  const bodies = Array.from({ length: count }, (_, i) => ({
    name: name(i),
    kind: "rod" as const,
    mass: 1,
    com: [0.5, 0, 0] as [number, number, number],
    inertia: [],
    length: 1,
    placement: { at: [i, 0, 0] as [number, number, number], q: [1, 0, 0, 0] as [number, number, number, number] },
    points: {},
    size: { half: [0, 0, 0] as [number, number, number], q: [1, 0, 0, 0] as [number, number, number, number] },
  }));
  const joints = bodies.map((_, i) => ({
    name: `J${i}`,
    kind: "revolute",
    drawn: "pivot",
    coordinates: ["angle"],
    markers: [marker(name(i), 0), marker(name(i - 1), i ? 1 : 0)],
    of: [],
    value: 0,
  }));
  const forces = bodies
    .filter((_, i) => i % 10 === 0)
    .map((b, i) => ({
      name: `s${i}`,
      kind: "spring",
      drawn: "coil",
      markers: [marker("ground", i), marker(b.name, 0.5)],
    }));
  return {
    name: "chain",
    planar: false,
    gravity: [0, 0, -9.81],
    parameters: {},
    bodies,
    points: [],
    joints,
    drivers: [],
    stops: [],
    forces,
    coordinates: [],
    ground: { drawn: [] },
    meshes: [],
    notes: [],
  };
}

// A frame as the server makes it.
function encode(scene: Scene, signals: number, t: number): ArrayBuffer {
  const B = scene.bodies.length;
  const buffer = new ArrayBuffer(40 + 8 * signals + 4 * POSE * B);
  const head = new DataView(buffer);
  head.setUint32(0, 0x4c4d5254, true);
  head.setFloat64(8, t, true);
  head.setUint16(30, signals, true);
  head.setUint32(32, B, true);
  new Float64Array(buffer, 40, signals).forEach((_, i, all) => (all[i] = Math.sin(t + i)));
  const poses = new Float32Array(buffer, 40 + 8 * signals);
  for (let i = 0; i < B; ++i) poses.set([i, Math.sin(t + i), 0, Math.cos(t / 2), 0, Math.sin(t / 2), 0], POSE * i);
  return buffer;
}

export function measure(bodies: number, frames: number): { mean: number; p95: number; largest: number } {
  initTheme();
  const scene = chain(bodies);
  const names = scene.joints.flatMap((j) => ["x", "y", "z"].map((c) => `${j.name}.force.${c}`)).slice(0, 256);
  const picture = new Picture(
    scene,
    names.map((name) => ({ name, unit: "N" })),
    { arrows: true, traces: true },
  );
  const history = new History();
  history.setNames(names);
  picture.subscribed(names);
  const stage = new Scene3();
  stage.add(picture.root);
  const times: number[] = [];
  for (let k = 0; k < frames; ++k) {
    const buffer = encode(scene, names.length, k / 60);
    const start = performance.now();
    const frame = new Frame(buffer);
    history.push(frame.t, frame.signals);
    picture.apply(frame);
    picture.view.extent();
    stage.updateMatrixWorld();
    times.push(performance.now() - start);
  }
  times.sort((a, b) => a - b);
  const at = (share: number) => times[Math.floor(share * (times.length - 1))]!;
  return { mean: times.reduce((s, x) => s + x, 0) / times.length, p95: at(0.95), largest: at(1) };
}

Object.assign(globalThis, { measure });
