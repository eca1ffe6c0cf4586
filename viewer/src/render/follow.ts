// How the view follows what moves: it widens, and goes along with what travels.
import { Box3, Vector3 } from "three";

const WIDEST = 2.5; // times its size: a mechanism that moves on takes the view along
const EASE = 0.2; // of the way, each picture; more where something would leave the picture
const SLACK = 0.05; // of the box, at each side: that far what moves may be ahead of the view

// The box that the view shows next; size: of the mechanism.
export function followed(shown: Box3, moving: Box3, size: number): Box3 {
  const both = shown.clone().union(moving);
  return eased(shown, diagonal(both) > WIDEST * size ? shifted(shown, moving) : both, moving);
}

const diagonal = (box: Box3) => box.getSize(new Vector3()).length();

// From a box towards the wanted one: a part of the way, or as much of it as keeps what moves in sight.
function eased(from: Box3, wanted: Box3, moving: Box3): Box3 {
  for (let share = EASE; share < 1; share *= 1.3) {
    const box = new Box3(from.min.clone().lerp(wanted.min, share), from.max.clone().lerp(wanted.max, share));
    const seen = box.clone().expandByVector(box.getSize(new Vector3()).multiplyScalar(SLACK));
    if (seen.containsBox(moving)) return box;
  }
  return wanted;
}

// The nearest box of that size, or larger, that holds another.
function shifted(box: Box3, held: Box3): Box3 {
  const out = box.clone();
  for (const axis of ["x", "y", "z"] as const) {
    const size = Math.max(box.max[axis] - box.min[axis], held.max[axis] - held.min[axis]);
    const low = Math.min(Math.max(out.min[axis], held.max[axis] - size), held.min[axis]);
    [out.min[axis], out.max[axis]] = [low, low + size];
  }
  return out;
}
