// What a page keeps over a reload, per model: curves, toggles, seconds shown, the log.

export interface Kept {
  plots?: { names: string[]; log: boolean }[];
  arrows?: boolean;
  traces?: boolean;
  names?: boolean;
  window?: number;
  log?: { level: string; text: string; t: number | null }[];
}

const LOG_LINES = 200;

// This tab's store may be closed to the page, or full: then nothing is kept.
const key = (path: string) => `trammel ${path}`;

export function recall(path: string): Kept {
  try {
    return JSON.parse(sessionStorage.getItem(key(path)) ?? "{}") as Kept;
  } catch {
    return {};
  }
}

export function keep(path: string, change: Kept): void {
  const log = change.log?.slice(-LOG_LINES);
  try {
    sessionStorage.setItem(key(path), JSON.stringify({ ...recall(path), ...change, ...(log ? { log } : {}) }));
  } catch {
    return;
  }
}
