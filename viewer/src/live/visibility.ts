// Which bodies are seen: hidden, seen through, or one of them alone.
import type { MechanismView, Seen } from "../render/mechanism";

export class Visibility {
  private readonly how = new Map<string, Seen>(); // by body; solid ones are left out

  get any(): boolean {
    return this.how.size > 0;
  }

  of(body: string): Seen {
    return this.how.get(body) ?? "solid";
  }

  // The same again: as it is.
  toggle(view: MechanismView, body: string, how: Seen): void {
    if (this.of(body) === how) this.how.delete(body);
    else this.how.set(body, how);
    this.apply(view);
  }

  // All others are seen through, or, if they are already, all are shown.
  isolate(view: MechanismView, body: string): void {
    const others = view.scene.bodies.map((b) => b.name).filter((name) => name !== body);
    const alone = others.every((name) => this.of(name) === "glass") && this.of(body) === "solid";
    this.how.clear();
    if (!alone) for (const name of others) this.how.set(name, "glass");
    this.apply(view);
  }

  showAll(view: MechanismView): void {
    this.how.clear();
    this.apply(view);
  }

  apply(view: MechanismView): void {
    for (const { name } of view.scene.bodies) view.seen(name, this.of(name));
  }
}
