// A searchable list of signals beside a button; several can be chosen.
import { h, unitText } from "./dom";
import type { Signal } from "./plot";

const SHOWN = 400; // rows in the list at once: more are found by searching

export function openPicker(
  anchor: HTMLElement,
  signals: Signal[],
  chosen: string[],
  done: (names: string[]) => void,
): void {
  const picked = new Set(chosen);
  const list = h("div.picker-list");
  const search = h("input", { type: "search", placeholder: "Search signals", "aria-label": "Search signals" });
  const dialog = h("dialog.picker", {}, search, list);

  const fill = () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const matching = signals.filter((s) => words.every((w) => s.name.toLowerCase().includes(w)));
    matching.sort((a, b) => Number(picked.has(b.name)) - Number(picked.has(a.name)));
    list.replaceChildren(
      ...matching.slice(0, SHOWN).map((signal) => {
        const box = h("input", { type: "checkbox", onchange: () => toggle(signal.name, box.checked) });
        box.checked = picked.has(signal.name);
        return h("label", {}, box, h("span", {}, signal.name), h("small", {}, unitText(signal.unit)));
      }),
    );
    if (matching.length === 0) list.append(h("p.faint", {}, "No signal of that name."));
    if (matching.length > SHOWN) list.append(h("p.faint", {}, `${matching.length - SHOWN} more: search for them.`));
  };
  const toggle = (name: string, on: boolean) => {
    if (on) picked.add(name);
    else picked.delete(name);
    done(signals.map((s) => s.name).filter((n) => picked.has(n)));
  };

  search.addEventListener("input", fill);
  dialog.addEventListener("click", (event) => event.target === dialog && dialog.close());
  dialog.addEventListener("close", () => dialog.remove());
  document.body.append(dialog);
  fill();
  dialog.showModal();
  const bounds = anchor.getBoundingClientRect();
  dialog.style.left = `${Math.max(8, Math.min(bounds.left, innerWidth - dialog.offsetWidth - 8))}px`;
  dialog.style.top = `${Math.max(8, Math.min(bounds.bottom + 4, innerHeight - dialog.offsetHeight - 8))}px`;
  search.focus();
}
