// Light and dark: the system's, until a person chooses. Colours stand in the style sheet; canvases read them here.

const KEY = "trammel-theme";
const listeners = new Set<() => void>();

export function initTheme(): void {
  apply(stored());
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => apply(stored()));
}

export function toggleTheme(): void {
  const next = isDark() ? "light" : "dark";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // pages opened from disk may have no storage: the choice then lasts as long as the page
  }
  apply(next);
}

export function isDark(): boolean {
  return document.documentElement.dataset["theme"] === "dark";
}

export function onTheme(listener: () => void): void {
  listeners.add(listener);
}

export function colour(name: string): string {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}

function stored(): string | null {
  try {
    return localStorage.getItem(KEY);
  } catch {
    return null;
  }
}

function apply(choice: string | null): void {
  const dark = choice ? choice === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  document.documentElement.dataset["theme"] = dark ? "dark" : "light";
  for (const listener of listeners) listener();
}
