// The model's text beside the picture: what is typed changes the mechanism when it is a model, and says where it is
// not; what is drawn changes the text.
import { h } from "../../common/dom";
import { icon } from "../../common/icons";
import type { App } from "../app";
import type { SidePanel } from "../panels";
import type { TextError } from "../protocol";

const REST = 350; // ms after the last key
const LONGEST = 60_000; // characters that one command takes

export class TextPanel implements SidePanel {
  private readonly area = h("textarea", {
    id: "model-text",
    spellcheck: "false",
    wrap: "off",
    "aria-label": "The model's text (YAML)",
  });
  private readonly lines = h("div.text-lines", { "aria-hidden": "true" });
  private readonly errors = h("ol.text-errors", { "aria-live": "polite" });
  private readonly state = h("small.faint", { role: "status" });
  private timer = 0;
  private dirty = false; // typed, and not yet taken
  private revision = -1;
  readonly name = "text";
  readonly label = "Text";
  readonly element: HTMLElement;

  constructor(private readonly app: App) {
    this.element = h(
      "section.panel.text",
      { id: "panel-text" },
      h(
        "header",
        {},
        h("h2", {}, "Text"),
        this.state,
        h(
          "button.flat",
          { title: "Close (Y)", "aria-label": "Close the text", onclick: () => this.toggle() },
          icon("close"),
        ),
      ),
      h("div.text-body", {}, this.lines, this.area),
      this.errors,
    );
    app.panels.add(this);
    this.area.addEventListener("input", () => this.typed());
    this.area.addEventListener("scroll", () => (this.lines.scrollTop = this.area.scrollTop));
    this.area.addEventListener("keydown", (event) => this.keyed(event));
  }

  private get open(): boolean {
    return this.app.panels.isOpen(this);
  }

  toggle(): void {
    this.app.panels.toggle(this);
  }

  shown(yes: boolean): void {
    if (yes) void this.refresh();
  }

  // Another model, or the same after an edit: by this page, or by another.
  modelShown(revision: number): void {
    if (this.open && revision !== this.revision) void this.refresh();
  }

  private async refresh(): Promise<void> {
    if (!this.app.model) return;
    const reply = await this.app.send({ do: "text" });
    if (!reply.ok || reply.yaml === undefined || this.dirty) return;
    this.revision = reply.revision ?? -1;
    if (reply.anew) this.state.textContent = "written anew: comments are gone";
    if (reply.yaml === this.area.value) return;
    const { scrollTop, selectionStart } = this.area;
    this.area.value = reply.yaml;
    if (document.activeElement === this.area) this.area.setSelectionRange(selectionStart, selectionStart);
    this.area.scrollTop = scrollTop;
    this.number();
    this.showErrors([]);
  }

  private typed(): void {
    this.dirty = true;
    this.state.textContent = "…";
    this.number();
    clearTimeout(this.timer);
    this.timer = window.setTimeout(() => void this.send(), REST);
  }

  private async send(): Promise<void> {
    const text = this.area.value;
    if (text.length > LONGEST) {
      this.state.textContent = "too long to be edited here: edit the file";
      return;
    }
    const reply = await this.app.send(this.app.model ? { do: "set-text", text } : { do: "new-model", text });
    if (this.area.value !== text) return; // more was typed: it is sent next
    this.dirty = false;
    this.revision = reply.revision ?? this.revision;
    this.state.textContent = reply.ok ? "runs" : "not a model yet: the picture shows the last one";
    const whole = { line: 0, column: 0, message: reply.error ?? "", remedy: "" };
    this.showErrors(reply.ok ? [] : reply.errors?.length ? reply.errors : [whole]);
  }

  private keyed(event: KeyboardEvent): void {
    event.stopPropagation();
    if (event.key === "Escape") this.app.stage.canvas.focus();
    if (event.key !== "Tab" || event.shiftKey || event.ctrlKey) return;
    event.preventDefault(); // two spaces: YAML knows no tabs
    this.area.setRangeText("  ", this.area.selectionStart, this.area.selectionEnd, "end");
    this.typed();
  }

  private number(): void {
    const count = this.area.value.split("\n").length;
    if (this.lines.childElementCount === count) return;
    this.lines.replaceChildren(...Array.from({ length: count }, (_, i) => h("span", {}, String(i + 1))));
  }

  private showErrors(errors: TextError[]): void {
    this.errors.replaceChildren(...errors.map((error) => this.error(error)));
    const bad = new Map(errors.map((e) => [e.line, e.message]));
    [...this.lines.children].forEach((line, i) => {
      line.classList.toggle("bad", bad.has(i + 1));
      line.setAttribute("title", bad.get(i + 1) ?? "");
    });
  }

  private error({ line, column, message, remedy }: TextError): HTMLElement {
    const place = line > 0 ? `${line}:${column} ` : "";
    const go = () => this.goTo(line, column);
    return h(
      "li",
      {},
      h("button.flat", { onclick: go }, h("b", {}, place), message, remedy ? h("small", {}, remedy) : null),
    );
  }

  private goTo(line: number, column: number): void {
    if (line < 1) return;
    const before = this.area.value.split("\n").slice(0, line - 1);
    const at = before.reduce((sum, text) => sum + text.length + 1, 0) + Math.max(column - 1, 0);
    this.area.focus();
    this.area.setSelectionRange(at, at);
    this.area.scrollTop = Math.max(0, (line - 4) * parseFloat(getComputedStyle(this.area).lineHeight));
  }
}
