// A server of the live protocol without mechanics, inside the browser's network: it answers every command, moves
// two bars along a known path, and keeps what the page sent. For what the page does by itself; what the
// engine does is tested with the engine.
import { readFileSync } from "node:fs";

const MAGIC = 0x4c4d5254;
const HISTORY = 0x484d5254;
const STEP = 0.03; // s

export const doublePendulum = () => {
  const rod = (name, at) => ({
    name,
    kind: "rod",
    mass: 1,
    com: [0.5, 0, 0],
    inertia: [0, 0, 0, 0, 0, 0],
    length: 1,
    placement: { at, q: [1, 0, 0, 0] },
    points: {},
    size: { half: [0, 0, 0], q: [1, 0, 0, 0] },
  });
  const marker = (body, at) => ({ body, at, q: [1, 0, 0, 0] });
  const pin = (name, ...markers) => ({
    name,
    kind: "pin",
    drawn: "pivot",
    coordinates: ["angle"],
    markers,
    of: [],
    value: 0,
  });
  return {
    name: "double pendulum",
    planar: true,
    gravity: [0, -9.81, 0],
    parameters: {},
    bodies: [rod("upper", [0, 0, 0]), rod("lower", [1, 0, 0])],
    points: [{ name: "B", at: [2, 0, 0], on: [marker("lower", [1, 0, 0])] }],
    joints: [
      pin("O", marker("ground", [0, 0, 0]), marker("upper", [0, 0, 0])),
      pin("A", marker("upper", [1, 0, 0]), marker("lower", [0, 0, 0])),
    ],
    drivers: [],
    stops: [],
    forces: [],
    coordinates: [],
    ground: { drawn: [] },
    meshes: [],
    notes: [],
  };
};

export class FakeServer {
  constructor(scene = doublePendulum()) {
    this.scene = scene;
    this.received = [];
    this.sockets = new Set();
    this.revision = 1;
    this.paused = false;
    this.still = false; // runs, and nothing moves
    this.step = 0;
    this.end = 0; // step that was reached
    this.pulls = [];
    this.signals = [];
    this.plotted = []; // signals of the last request for history
    this.ghosts = [];
    this.hung = false; // says nothing
    this.refuse = {}; // command → reason
    this.plan = {
      coordinates: "natural",
      formulation: "augmented-lagrangian-index3",
      integrator: "trapezoidal",
      step: 0.001,
      tolerance: 0,
    };
  }

  get t() {
    return STEP * this.step;
  }

  async serve(page, html) {
    await page.route("http://trammel.test/**", (route) => {
      const { pathname } = new URL(route.request().url());
      if (pathname === "/models" && this.outdated) return route.fulfill({ status: 403, body: "" });
      if (pathname === "/models")
        return route.fulfill({
          json: [
            { path: "double-pendulum.yaml", name: "double pendulum" },
            { path: "door.yaml", name: "door" },
          ],
        });
      if (pathname === "/") return route.fulfill({ contentType: "text/html", body: readFileSync(html, "utf8") });
      return route.fulfill({ status: 404, body: "" });
    });
    await page.routeWebSocket(/\/live/, (socket) => this.accept(socket));
  }

  accept(socket) {
    if (this.outdated) return void socket.close();
    this.sockets.add(socket);
    socket.onMessage((text) => this.command(socket, JSON.parse(text)));
    socket.onClose(() => this.sockets.delete(socket));
    setTimeout(() => {
      this.sendModel(socket);
      this.sendStatus(socket);
    }, 10);
    this.timer ??= setInterval(() => this.tick(), 30);
  }

  stop() {
    clearInterval(this.timer);
    for (const socket of this.sockets) socket.close();
  }

  last(name) {
    return this.received.filter((c) => c.do === name).at(-1);
  }

  command(socket, command) {
    this.received.push(command);
    if (this.hung) return;
    if (command.do === "history") return void socket.send(this.history(command));
    const error = this.refuse[command.do];
    const yaml = command.do === "save" ? { yaml: "trammel: 1\n" } : {};
    socket.send(JSON.stringify({ reply: command.id, ok: !error, ...yaml, ...(error ? { error } : {}) }));
    if (error) return;
    if (command.do === "pause" || command.do === "resume") this.paused = command.do === "pause";
    if (command.do === "subscribe") this.subscribe(command.signals);
    if (command.do === "pull") this.pulls = [command];
    if (command.do === "release") this.pulls = [];
    if (command.do === "reset") this.step = this.end = 0;
    if (command.do === "seek") this.step = command.step ?? Math.round(command.t / STEP);
    if (command.do === "set-plan")
      Object.assign(this.plan, { formulation: command.formulation ?? this.plan.formulation });
    if (command.do === "remove-joint")
      this.edit(() => (this.scene.joints = this.scene.joints.filter((j) => j.name !== command.name)));
    if (command.do.startsWith("set-")) this.edit(() => {});
    this.sockets.forEach((s) => this.sendStatus(s));
  }

  edit(change) {
    change();
    ++this.revision;
    this.sockets.forEach((s) => this.sendModel(s));
    this.subscribe(this.signals);
  }

  subscribe(signals) {
    this.signals = signals;
    this.all({ event: "subscribed", revision: this.revision, signals });
  }

  all(message) {
    for (const socket of this.sockets) socket.send(JSON.stringify(message));
  }

  sendModel(socket) {
    const signals = [
      "O.angle",
      "A.angle",
      "O.force.x",
      "O.force.y",
      "A.force.x",
      "A.force.y",
      "upper.x",
      "upper.y",
      "energy.kinetic",
      "energy.potential",
      "energy.balance",
      "violation.position",
      "violation.velocity",
    ].map((name) => ({ name, unit: name.includes("angle") ? "rad" : "", unique: !name.startsWith("A.force") }));
    const numbers = this.scene.bodies.map((b) => ({ path: `bodies.${b.name}.mass`, value: b.mass, unit: "kg" }));
    const choices = {
      coordinates: ["natural"],
      formulations: ["augmented-lagrangian-index3", "lagrange", "independent"],
      integrators: ["trapezoidal", "rk4"],
      pairs: { "augmented-lagrangian-index3": ["trapezoidal"], lagrange: ["rk4"] },
      unfit: { independent: "it needs a tree; choose another" },
      connections: [
        { part: "joint", kind: "pin", axes: 0, asked: [] },
        { part: "joint", kind: "prismatic", axes: 1, asked: [] },
        { part: "joint", kind: "distance", axes: 0, asked: [] },
        { part: "force", kind: "spring", axes: 0, asked: [{ key: "stiffness", unit: "N/m", value: 100 }] },
      ],
    };
    socket.send(
      JSON.stringify({
        event: "model",
        revision: this.revision,
        path: "double-pendulum.yaml",
        scene: this.scene,
        plan: this.plan,
        signals,
        numbers,
        choices,
        undo: this.revision > 1 ? "an edit" : null,
        redo: null,
      }),
    );
  }

  sendStatus(socket) {
    socket.send(
      JSON.stringify({
        event: "status",
        paused: this.paused,
        speed: 1,
        t: this.t,
        step: this.step,
        pulls: [],
        clients: this.sockets.size,
        timeline: {
          branch: 1,
          from_t: 0,
          begin: 0,
          end: this.end,
          begin_t: 0,
          end_t: STEP * this.end,
          ghosts: this.ghosts,
          edits: [],
          bytes: 1e6,
          most: 2.7e8,
        },
      }),
    );
  }

  tick() {
    if (this.hung) return;
    if (!this.paused && !this.still) this.end = Math.max(this.end, ++this.step);
    const frame = this.frame();
    for (const socket of this.sockets) socket.send(frame);
  }

  // The bars swing; a pulled body's origin jumps to where it is pulled.
  poses() {
    return this.posesAt(this.t);
  }

  posesAt(t) {
    const a = -1 + 0.6 * Math.sin(t);
    const b = a - 0.5 * Math.cos(1.7 * t);
    const q = (angle) => [Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)];
    const poses = [0, 0, 0, ...q(a), Math.cos(a), Math.sin(a), 0, ...q(b)];
    return poses.slice(0, 7 * this.scene.bodies.length);
  }

  frame() {
    const [S, B, P] = [this.signals.length, this.scene.bodies.length, this.pulls.length];
    const buffer = Buffer.alloc(40 + 8 * S + 28 * B + 32 * P);
    buffer.writeUInt32LE(MAGIC, 0);
    buffer.writeUInt32LE(this.revision, 4);
    buffer.writeDoubleLE(this.t, 8);
    buffer.writeBigUInt64LE(BigInt(this.step), 16);
    buffer.writeFloatLE(1, 24);
    buffer.writeUInt8(this.paused ? 1 : 0, 28);
    buffer.writeUInt8(P, 29);
    buffer.writeUInt16LE(S, 30);
    buffer.writeUInt32LE(B, 32);
    this.signals.forEach((name, i) => buffer.writeDoubleLE(this.value(name, this.t), 40 + 8 * i));
    this.poses().forEach((x, i) => buffer.writeFloatLE(x, 40 + 8 * S + 4 * i));
    this.pulls.forEach((pull, k) => {
      const at = 40 + 8 * S + 28 * B + 32 * k;
      [0, 0, ...this.grip(pull), ...pull.target].forEach((x, i) => buffer.writeFloatLE(x, at + 4 * i));
    });
    return buffer;
  }

  // Rows of the past, one for each step.
  history({ id, signals = [], places = [], from, to, from_t, to_t, every = 1, poses = false }) {
    this.plotted = signals;
    for (const place of places)
      if (Object.keys(place).sort().join() !== "at,body") throw new Error("a place has body and at");
    const first = Math.max(0, from ?? Math.round((from_t ?? 0) / STEP));
    const last = Math.min(this.end, to ?? Math.round((to_t ?? 1e9) / STEP));
    const rows = [];
    for (let step = first; step <= last && rows.length < 20_000; step += every) rows.push(STEP * step);
    const place = ({ body, at }, t) => {
      const [x, y, , w, , , z] = this.posesAt(t).slice(7 * this.scene.bodies.findIndex((b) => b.name === body));
      const angle = 2 * Math.atan2(z, w);
      return [x + at[0] * Math.cos(angle), y + at[0] * Math.sin(angle), 0];
    };
    const values = rows.flatMap((t) => [
      ...signals.map((name) => this.value(name, t)),
      ...places.flatMap((p) => place(p, t)),
    ]);
    const floats = poses ? rows.flatMap((t) => this.posesAt(t)) : [];
    const buffer = Buffer.alloc(48 + 8 * (rows.length + values.length) + 4 * floats.length);
    const columns = signals.length + 3 * places.length;
    [HISTORY, id, 1, rows.length, columns, poses ? this.scene.bodies.length : 0].forEach((x, i) =>
      buffer.writeUInt32LE(x, 4 * i),
    );
    [every, first, this.end].forEach((x, i) => buffer.writeBigUInt64LE(BigInt(x), 24 + 8 * i));
    [...rows, ...values].forEach((x, i) => buffer.writeDoubleLE(x, 48 + 8 * i));
    floats.forEach((x, i) => buffer.writeFloatLE(x, 48 + 8 * (rows.length + values.length) + 4 * i));
    return buffer;
  }

  grip(pull) {
    const i = this.scene.bodies.findIndex((b) => b.name === pull.body);
    const [x, y, , w, , , z] = this.poses().slice(7 * i);
    const angle = 2 * Math.atan2(z, w);
    const [u, v] = pull.at;
    return [x + u * Math.cos(angle) - v * Math.sin(angle), y + u * Math.sin(angle) + v * Math.cos(angle), 0];
  }

  value(name, t) {
    if (name.startsWith("violation")) return 1e-12 * (1 + Math.random());
    if (name.endsWith("force.x")) return 12 * Math.sin(t);
    if (name.endsWith("force.y")) return 18 + 4 * Math.cos(2 * t);
    if (name === "energy.kinetic") return 5 + 4 * Math.sin(3 * t);
    if (name === "energy.potential") return -4 * Math.sin(3 * t);
    if (name === "energy.balance") return 6;
    return Math.sin(t);
  }
}
