// Which panels are seen. At the right side stands the model's text or a study, one at a time; on a phone, tabs choose
// one among all panels.
import { byId, h } from "../common/dom";

export interface SidePanel {
  name: "text" | "study"; // also the id of its button
  label: string; // of its tab
  element: HTMLElement;
  shown(yes: boolean): void;
}

const FIXED = [
  ["plots", "Curves"],
  ["model", "Model"],
  ["log", "Log"],
] as const;

export class Panels {
  private readonly side: SidePanel[] = [];
  private open: SidePanel | null = null;
  private fixed: string = FIXED[0][0];
  private readonly tabs = new Map<string, HTMLElement>();

  constructor(
    private readonly root: HTMLElement,
    private readonly bar: HTMLElement,
  ) {
    for (const [name, label] of FIXED)
      this.addTab(name, label, () => {
        this.fixed = name;
        this.show(null);
      });
    this.show(null);
  }

  add(panel: SidePanel): void {
    this.side.push(panel);
    panel.element.hidden = true;
    this.root.append(panel.element);
    this.addTab(panel.name, panel.label, () => this.show(panel));
  }

  isOpen(panel: SidePanel): boolean {
    return this.open === panel;
  }

  toggle(panel: SidePanel): void {
    this.show(this.open === panel ? null : panel);
  }

  private addTab(name: string, label: string, act: () => void): void {
    const tab = h("button.flat", { "data-tab": name, onclick: act }, label);
    this.tabs.set(name, tab);
    this.bar.append(tab);
  }

  private show(panel: SidePanel | null): void {
    const before = this.open;
    this.open = panel;
    for (const each of this.side) {
      each.element.hidden = each !== panel;
      byId(each.name).classList.toggle("on", each === panel);
    }
    this.root.classList.toggle("with-text", panel !== null);
    this.root.dataset["panel"] = this.fixed;
    for (const [name, tab] of this.tabs) tab.classList.toggle("on", name === (panel?.name ?? this.fixed));
    if (before !== panel) {
      before?.shown(false);
      panel?.shown(true);
    }
  }
}
