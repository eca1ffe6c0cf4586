// Dimensions that are typed while something is drawn: a length and an angle, or one other number, beside the pointer.
import { h } from "../../common/dom";

export interface TypedField {
  key: string;
  label: string;
  unit: string;
}

export class TypedBox {
  private readonly box = h("div.typed", { hidden: true, role: "group", "aria-label": "Dimensions" });
  private inputs = new Map<string, HTMLInputElement>();

  constructor(
    holder: HTMLElement,
    private readonly done: (values: Record<string, string>) => void,
    private readonly cancelled: () => void,
  ) {
    holder.append(this.box);
    this.box.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") this.finish();
      if (event.key === "Escape") {
        this.hide();
        this.cancelled();
      }
    });
  }

  get open(): boolean {
    return !this.box.hidden;
  }

  // At a place of the stage, in pixels, with what was typed first in the first field.
  show(x: number, y: number, fields: TypedField[], values: Record<string, string>, first = ""): void {
    this.inputs = new Map();
    const rows = fields.map(({ key, label, unit }) => {
      const input = h("input", { type: "text", inputmode: "decimal", value: values[key] ?? "", "aria-label": label });
      this.inputs.set(key, input);
      return h("label", {}, h("span", {}, label), input, h("small", {}, unit));
    });
    this.box.replaceChildren(...rows);
    this.box.hidden = false;
    const holder = this.box.offsetParent as HTMLElement | null;
    const room = (at: number, size: number, all: number) => Math.max(8, Math.min(at, all - size - 8));
    this.box.style.left = `${room(x + 16, this.box.offsetWidth, holder?.clientWidth ?? innerWidth)}px`;
    this.box.style.top = `${room(y + 14, this.box.offsetHeight, holder?.clientHeight ?? innerHeight)}px`;
    const input = this.inputs.get(fields[0]!.key)!;
    if (first) input.value = first;
    input.focus();
    if (first) input.setSelectionRange(first.length, first.length);
    else input.select();
  }

  hide(): void {
    this.box.hidden = true;
  }

  private finish(): void {
    const values = Object.fromEntries([...this.inputs].map(([key, input]) => [key, input.value.trim()]));
    this.hide();
    this.done(values);
  }
}

const LENGTHS: Record<string, number> = { m: 1, mm: 1e-3, cm: 1e-2, km: 1e3, in: 0.0254, ft: 0.3048 };

// "0.3", "30 cm", "1,5": metres; NaN for anything else.
export function metres(text: string): number {
  const found = /^([-+]?[\d.,]+(?:e[-+]?\d+)?)\s*([a-z]*)$/i.exec(text.trim());
  if (!found) return NaN;
  const scale = found[2] ? LENGTHS[found[2]] : 1;
  return scale === undefined ? NaN : Number(found[1]!.replace(",", ".")) * scale;
}
