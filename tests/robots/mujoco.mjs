// What MuJoCo says of MJCF files, for the tests to compare with: mass matrix, bias forces, accelerations and the
// motion of bodies at random states, without contact, limits and friction.
//
//   node mujoco.mjs OUT.json STATES [--bare] FILE…
//
// Motion is without equality constraints, of which residuals and Jacobian stand beside it. --bare: without springs, dampers and actuators.
// Everything in the folder of a file is there for it.
import fs from 'node:fs';
import path from 'node:path';
import load_mujoco from '@mujoco/mujoco';

const [out, states, ...rest] = process.argv.slice(2);
const is_bare = rest.includes('--bare');
const files = rest.filter((word) => !word.startsWith('--'));
const mujoco = await load_mujoco();

// Numbers in [0, 1) that are the same in every run: mulberry32.
function random_numbers(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

// The folder of a file in the memory of MuJoCo.
function copy_folder(from, to) {
  mujoco.FS.mkdir(to);
  for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
    const source = path.join(from, entry.name);
    if (entry.isDirectory()) copy_folder(source, `${to}/${entry.name}`);
    else if (fs.statSync(source, { throwIfNoEntry: false })?.isFile())
      mujoco.FS.writeFile(`${to}/${entry.name}`, fs.readFileSync(source));
  }
}

const folders = new Map();
function in_memory(file) {
  const folder = path.dirname(path.resolve(file));
  if (!folders.has(folder)) {
    const place = `/models${folders.size}`;
    copy_folder(folder, place);
    folders.set(folder, place);
  }
  return `${folders.get(folder)}/${path.basename(file)}`;
}

const round_trip = (array) => Array.from(array);

function at_random_state(model, data, random) {
  const v = () => 2 * random() - 1;
  mujoco.mj_resetData(model, data);
  const step = Array.from({ length: model.nv }, () => v());
  mujoco.mj_integratePos(model, data.qpos, step, 1);
  for (let i = 0; i < model.nv; ++i) data.qvel[i] = v();
  mujoco.mj_forward(model, data);
  const nv = model.nv;
  const mass = new mujoco.DoubleBuffer(nv * nv);
  mujoco.mj_fullM(model, data, mass);
  const jacobian = [];
  const p = new mujoco.DoubleBuffer(3 * nv);
  const r = new mujoco.DoubleBuffer(3 * nv);
  for (let b = 1; b < model.nbody; ++b) {
    mujoco.mj_jacBody(model, data, p, r, b);
    jacobian.push([round_trip(p.GetView()), round_trip(r.GetView())]);
  }
  const state = {
    qpos: round_trip(data.qpos),
    qvel: round_trip(data.qvel),
    xpos: round_trip(data.xpos),
    xmat: round_trip(data.xmat),
    jacobian,
    mass: round_trip(mass.GetView()),
    force: Array.from(data.qfrc_bias, (b, i) => data.qfrc_passive[i] + data.qfrc_actuator[i] - b),
    qacc: round_trip(data.qacc),
  };
  for (const buffer of [mass, p, r]) buffer.delete();
  if (model.neq > 0) add_equalities(model, data, state);
  return state;
}

// Rows of the equality constraints, which come before all others.
function add_equalities(model, data, state) {
  const off = mujoco.mjtDisableBit.mjDSBL_EQUALITY.value;
  model.opt.disableflags &= ~off;
  mujoco.mj_forward(model, data);
  state.efc_id = Array.from({ length: data.ne }, (_, i) => data.efc_id[i]);
  state.efc_pos = Array.from({ length: data.ne }, (_, i) => data.efc_pos[i]);
  state.efc_J = Array.from({ length: data.ne * model.nv }, (_, i) => data.efc_J[i]);
  model.opt.disableflags |= off;
}

function describe(file) {
  let model;
  try {
    model = mujoco.MjModel.mj_loadXML(in_memory(file));
  } catch (error) {
    return { file, error: String(error?.message ?? error) };
  }
  const data = new mujoco.MjData(model);
  const bit = mujoco.mjtDisableBit;
  const off = [bit.mjDSBL_CONTACT, bit.mjDSBL_LIMIT, bit.mjDSBL_FRICTIONLOSS];
  off.push(bit.mjDSBL_EQUALITY);
  if (is_bare) off.push(bit.mjDSBL_SPRING, bit.mjDSBL_DAMPER, bit.mjDSBL_ACTUATION);
  for (const b of off) model.opt.disableflags |= b.value;
  model.opt.jacobian = mujoco.mjtJacobian.mjJAC_DENSE.value;
  mujoco.mj_forward(model, data);
  const name = (type, i) => mujoco.mj_id2name(model, type.value, i);
  const start = { qpos: round_trip(data.qpos), xpos: round_trip(data.xpos), xmat: round_trip(data.xmat) };
  const random = random_numbers(1);
  const all = [];
  for (let i = 0; i < Number(states); ++i) all.push(at_random_state(model, data, random));
  const result = {
    file,
    nv: model.nv,
    bodies: Array.from({ length: model.nbody }, (_, i) => name(mujoco.mjtObj.mjOBJ_BODY, i)),
    weld: round_trip(model.body_weldid),
    joints: Array.from({ length: model.njnt }, (_, i) => ({
      name: name(mujoco.mjtObj.mjOBJ_JOINT, i),
      type: ['free', 'ball', 'slide', 'hinge'][model.jnt_type[i]],
      q: model.jnt_qposadr[i],
      v: model.jnt_dofadr[i],
      body: model.jnt_bodyid[i],
    })),
    equalities: Array.from({ length: model.neq }, (_, i) => ({
      type: ['connect', 'weld', 'joint', 'tendon', 'flex'][model.eq_type[i]],
      second: model.eq_obj2id[i],
      active: all.some((state) => state.efc_id.includes(i)),
      data: Array.from({ length: 11 }, (_, k) => model.eq_data[11 * i + k]),
    })),
    start,
    states: all,
  };
  data.delete();
  model.delete();
  return result;
}

fs.writeFileSync(out, JSON.stringify(files.map(describe)));
