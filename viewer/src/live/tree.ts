// Bodies, joints, forces and drivers as a list; selection goes both ways.
import { h } from "../common/dom";
import { icon } from "../common/icons";
import { type Part, type PartKind, samePart, type Scene } from "../common/scene";
import { bodyColour } from "../render/looks";

interface Row {
  part: Part;
  element: HTMLElement;
}

export class Tree {
  private rows: Row[] = [];
  private readonly list = h("div.tree-list", { role: "tree", "aria-label": "Parts of the mechanism" });
  private readonly search = h("input", { type: "search", placeholder: "Find a part", "aria-label": "Find a part" });

  constructor(
    holder: HTMLElement,
    private readonly onSelect: (part: Part | null) => void,
  ) {
    this.search.addEventListener("input", () => this.filter());
    this.list.addEventListener("keydown", (event) => this.key(event));
    holder.append(this.search, this.list);
  }

  show(scene: Scene): void {
    this.rows = [];
    const sections = [
      this.section("Bodies", "body", scene.bodies, (b) => b.kind),
      this.section("Joints", "joint", scene.joints, (j) => j.kind),
      this.section("Forces", "force", scene.forces, (f) => f.kind),
      this.section("Drivers", "driver", scene.drivers, (d) => d.of || d.kind),
    ];
    this.list.replaceChildren(this.modelRow(scene), ...sections.filter((x) => x !== null));
    this.search.hidden = this.rows.length < 16;
    this.filter();
  }

  select(part: Part | null): void {
    const model = this.list.querySelector(".model-row");
    model?.classList.toggle("selected", part === null);
    model?.setAttribute("aria-selected", String(part === null));
    for (const row of this.rows) {
      const yes = samePart(row.part, part);
      row.element.classList.toggle("selected", yes);
      row.element.setAttribute("aria-selected", String(yes));
      if (yes) row.element.scrollIntoView({ block: "nearest" });
      if (yes) this.focusable(row.element);
    }
  }

  // One row takes the focus by Tab; arrows go on from there, as in any tree.
  private focusable(element: HTMLElement): void {
    for (const item of this.items()) item.tabIndex = item === element ? 0 : -1;
  }

  private items(): HTMLElement[] {
    const all = [...this.list.querySelectorAll<HTMLElement>("[role=treeitem]")];
    return all.filter((item) => item.offsetParent !== null || item === document.activeElement);
  }

  private key(event: KeyboardEvent): void {
    const items = this.items();
    const at = items.indexOf(document.activeElement as HTMLElement);
    if (at < 0 || event.ctrlKey || event.metaKey || event.altKey) return;
    const here = items[at]!;
    const expanded = here.getAttribute("aria-expanded");
    const to: Record<string, HTMLElement | undefined> = {
      ArrowDown: items[at + 1],
      ArrowUp: items[at - 1],
      Home: items[0],
      End: items[items.length - 1],
      ArrowLeft: expanded === null ? (here.parentElement?.previousElementSibling as HTMLElement) : undefined,
    };
    if (expanded !== null && (event.key === "ArrowRight" || event.key === "ArrowLeft"))
      if ((expanded === "true") === (event.key === "ArrowLeft")) here.click();
    if (!(event.key in to) && event.key !== "ArrowRight") return;
    event.preventDefault();
    event.stopPropagation();
    const next = to[event.key];
    if (next?.getAttribute("role") !== "treeitem") return;
    this.focusable(next);
    next.focus();
  }

  private modelRow(scene: Scene): HTMLElement {
    return h(
      "button.row.model-row",
      {
        role: "treeitem",
        "aria-level": 1,
        tabindex: 0,
        onclick: () => this.onSelect(null),
        title: "Method, gravity and parameters",
      },
      icon("menu"),
      h("span.name", {}, scene.name),
      h("small", {}, scene.planar ? "plane" : "space"),
    );
  }

  private section<T extends { name: string }>(
    title: string,
    kind: PartKind,
    items: T[],
    note: (item: T) => string,
  ): HTMLElement | null {
    if (items.length === 0) return null;
    const rows = items.map((item, i) => this.row({ kind, name: item.name }, note(item), i));
    const group = h("div", { role: "group" }, ...rows);
    const head: HTMLElement = h(
      "button.section",
      {
        role: "treeitem",
        "aria-expanded": "true",
        "aria-level": 1,
        tabindex: -1,
        onclick: () => {
          group.hidden = !group.hidden;
          head.setAttribute("aria-expanded", String(!group.hidden));
        },
      },
      h("span.name", {}, title),
      h("small", {}, String(items.length)),
    );
    return h("div", { role: "none" }, head, group);
  }

  private row(part: Part, note: string, index: number): HTMLElement {
    const mark =
      part.kind === "body"
        ? h("i.swatch", { style: `background:${bodyColour(index)}` })
        : icon(part.kind === "joint" ? "joint" : part.kind === "force" ? "spring" : "motor");
    const element: HTMLElement = h(
      "button.row",
      {
        role: "treeitem",
        "aria-level": 2,
        "aria-selected": "false",
        tabindex: -1,
        onclick: () => {
          this.focusable(element);
          this.onSelect(part);
        },
      },
      mark,
      h("span.name", {}, part.name),
      h("small", {}, note),
    );
    this.rows.push({ part, element });
    return element;
  }

  private filter(): void {
    const wanted = this.search.value.toLowerCase();
    for (const { part, element } of this.rows) element.hidden = !part.name.toLowerCase().includes(wanted);
  }
}
