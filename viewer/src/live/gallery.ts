// The first page: empty sheets to draw on, models that were opened lately, and those of the folder, with pictures.
import { h } from "../common/dom";
import { icon } from "../common/icons";
import type { App } from "./app";

interface ModelFile {
  path: string;
  name: string;
  recent?: boolean;
}

const SHEETS = [
  {
    planar: true,
    name: "New in the plane",
    picture:
      '<path d="M20 80L55 25 120 40 140 80"/><circle cx="20" cy="80" r="4"/><circle cx="55" cy="25" r="4"/><circle cx="120" cy="40" r="4"/><circle cx="140" cy="80" r="4"/>',
  },
  {
    planar: false,
    name: "New in space",
    picture: '<path d="M40 70L80 85 125 68 85 54zM40 70V32L80 46V85M80 46l45-16v38M40 32l45-15 40 13"/>',
  },
];

export class Gallery {
  private dialog: HTMLDialogElement | null = null;
  private seen: IntersectionObserver | null = null;

  constructor(private readonly app: App) {}

  async open(): Promise<void> {
    this.dialog?.remove();
    const list = h("div.gallery-models.models", {});
    const search = h("input", { type: "search", placeholder: "Find a model", "aria-label": "Find a model" });
    search.addEventListener("input", () => filter(list, search.value));
    const closable = this.app.model !== null;
    const close = h(
      "button.flat",
      { "aria-label": "Close", title: "Close", onclick: () => this.close() },
      icon("close"),
    );
    const dialog = h(
      "dialog.gallery",
      { "aria-label": "Models" },
      h("header", {}, h("h2", {}, "Draw a mechanism, or open one"), search, closable ? close : null),
      h("div.gallery-grid", {}, ...SHEETS.map((sheet) => this.sheetCard(sheet))),
      list,
    );
    dialog.addEventListener("cancel", (event) => !closable && event.preventDefault());
    dialog.addEventListener("click", (event) => event.target === dialog && closable && this.close());
    this.dialog = dialog;
    document.body.append(dialog);
    dialog.showModal();
    this.seen = new IntersectionObserver((entries) => this.load(entries), { root: dialog, rootMargin: "200px" });
    await this.fill(list);
  }

  close(): void {
    this.seen?.disconnect();
    this.dialog?.remove();
    this.dialog = null;
  }

  private sheetCard({ planar, name, picture }: (typeof SHEETS)[number]): HTMLElement {
    const card = h("button.card.new", {
      id: planar ? "new-plane" : "new-space",
      onclick: () => {
        this.close();
        this.app.drawing.newSheet(planar);
      },
    });
    card.innerHTML = `<svg viewBox="0 0 160 100" aria-hidden="true">${picture}</svg>`;
    card.append(h("span.name", {}, name));
    return card;
  }

  private async fill(list: HTMLElement): Promise<void> {
    try {
      const answer = await fetch("/models");
      if (!answer.ok) throw new Error(`the program says ${answer.status}`);
      const files = (await answer.json()) as ModelFile[];
      this.section(
        list,
        "Opened lately",
        files.filter((f) => f.recent),
      );
      this.section(
        list,
        "Models",
        files.filter((f) => !f.recent),
      );
      if (files.length === 0) list.append(h("p.faint", {}, "There are no models in this folder."));
    } catch (error) {
      list.append(h("p.faint", {}, `The list of models could not be read: ${(error as Error).message}.`));
    }
  }

  private section(list: HTMLElement, title: string, files: ModelFile[]): void {
    if (files.length === 0) return;
    list.append(h("h3", {}, title), h("div.gallery-grid", {}, ...files.map((file) => this.card(file))));
  }

  private card({ path, name }: ModelFile): HTMLElement {
    const selected = path === this.app.model?.path ? ".selected" : "";
    const picture = h("div.thumbnail", { "data-path": path });
    const card = h(
      `button.row.card${selected}` as "button",
      {
        onclick: () => {
          this.close();
          void this.app.perform({ do: "open-model", path });
        },
      },
      picture,
      h("span.name", {}, name),
      h("small", {}, path.split("/").pop() ?? path),
    );
    this.seen?.observe(picture);
    return card;
  }

  // A picture is asked for when it comes into sight. What comes is the program's own drawing.
  private load(entries: IntersectionObserverEntry[]): void {
    for (const { isIntersecting, target } of entries) {
      if (!isIntersecting) continue;
      this.seen?.unobserve(target);
      const path = encodeURIComponent((target as HTMLElement).dataset["path"] ?? "");
      void fetch(`/thumbnail?path=${path}`)
        .then((answer) => (answer.ok ? answer.text() : ""))
        .then((svg) => (target.innerHTML = svg))
        .catch(() => undefined);
    }
  }
}

function filter(list: HTMLElement, text: string): void {
  for (const card of list.querySelectorAll<HTMLElement>(".card"))
    card.hidden = !card.textContent!.toLowerCase().includes(text.toLowerCase());
}
