// A little help to make elements.

type Child = Node | string | null | undefined | false;
type Attributes = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

// h("button.primary", {title: "Play", onclick: play}, "Play")
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K | `${K}.${string}`,
  attributes: Attributes = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const [name, ...classes] = tag.split(".");
  const element = document.createElement(name as K);
  if (classes.length) element.className = classes.join(" ");
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") element.addEventListener(key.slice(2), value as EventListener);
    // a policy against styles in attributes lets scripts set them
    else if (key === "style") element.style.cssText = String(value);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  for (const child of children) if (child) element.append(child);
  return element;
}

export function byId<T extends HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`the page has no element '${id}'`);
  return element as T;
}

export function download(name: string, data: Blob): void {
  const url = URL.createObjectURL(data);
  const link = h("a", { href: url, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

export function textBlob(text: string, type: string): Blob {
  return new Blob([text], { type: `${type};charset=utf-8` });
}

// For lists: 1,234.5 is shown 1234.5; numbers that a person reads while they change.
export function shown(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const size = Math.abs(x);
  if (size >= 1e5 || size < 1e-3) return scientific(x, Math.min(digits, 3) - 1);
  return x
    .toPrecision(4)
    .replace(/(\.\d*?)0+$/, "$1")
    .replace(/\.$/, "");
}

// The digits of a value that its error leaves, four at most: 12.3 of 12.345 ± 0.05.
export function known(x: number, error: number): string {
  if (!(error > 0) || !Number.isFinite(x) || x === 0) return shown(x);
  const digits = Math.floor(Math.log10(Math.abs(x))) - Math.floor(Math.log10(error));
  const kept = Math.min(4, Math.max(1, digits));
  return shown(Number(x.toPrecision(kept)), kept);
}

// 1.0·10⁻¹¹
export function scientific(x: number, digits = 1): string {
  if (!Number.isFinite(x)) return "–";
  if (x === 0) return "0";
  const [mantissa, exponent] = x.toExponential(digits).split("e") as [string, string];
  const power = String(Number(exponent));
  return `${mantissa}·10${[...power].map((c) => (c === "-" ? "⁻" : "⁰¹²³⁴⁵⁶⁷⁸⁹"[Number(c)])).join("")}`;
}

// m/s^2 as it is written by hand: m/s²
export const unitText = (unit: string) => unit.replaceAll("^2", "²").replaceAll("^3", "³").replaceAll(".", "·");
