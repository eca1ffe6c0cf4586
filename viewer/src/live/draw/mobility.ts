// How the mechanism can move, by name, beside the figures under the picture.
import { h } from "../../common/dom";
import type { Mobility } from "../protocol";

export class MobilityBadge {
  private readonly text = h("span", { id: "mobility" });

  constructor(holder: Element) {
    holder.prepend(this.text);
  }

  show(m: Mobility): void {
    this.text.hidden = !m.known;
    this.text.classList.toggle("bad", m.known && (m.redundant > 0 || m.freedoms < 0));
    this.text.textContent = m.known ? words(m) : "";
    this.text.title = m.known ? details(m) : "";
  }
}

const count = (n: number, one: string, many: string) => `${n} ${n === 1 ? one : many}`;

function words(m: Mobility): string {
  const parts = [count(m.freedoms, "degree of freedom", "degrees of freedom")];
  if (m.named.length > 0 && m.named.length < 4) parts[0] += `: ${m.named.join(", ")}`;
  if (m.drivers > 0) parts.push(count(m.drivers, "motor", "motors"));
  if (m.locked) parts.push("cannot move");
  if (m.redundant > 0)
    parts.push(
      `${count(m.redundant, "redundant equation", "redundant equations")}: ${m.sets.map((s) => s.joints.join(", ")).join("; ")}`,
    );
  return parts.join(" · ");
}

function details(m: Mobility): string {
  const lines = [
    `Without motors the mechanism can move in ${count(m.freedoms, "way", "ways")}: ${m.named.join(", ") || "none"}.`,
  ];
  for (const set of m.sets)
    lines.push(
      `${set.joints.join(", ")} say ${count(set.redundant, "thing", "things")} twice${set.here === set.redundant ? ", in this position only" : ""}.`,
    );
  return lines.join("\n");
}
