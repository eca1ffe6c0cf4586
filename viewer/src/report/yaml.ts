// Model text with its comments, keys and numbers told apart.
import { h } from "../common/dom";

const TOKEN = /(#.*$)|([\w."{}-]+)(?=\s*:(?:\s|$))|(-?\b\d+(?:\.\d*)?(?:e[+-]?\d+)?\b)/gim;

export function highlighted(text: string): DocumentFragment {
  const out = document.createDocumentFragment();
  let end = 0;
  for (const match of text.matchAll(TOKEN)) {
    out.append(text.slice(end, match.index));
    const kind = match[1] !== undefined ? "comment" : match[2] !== undefined ? "key" : "digits";
    out.append(h(`span.${kind}`, {}, match[0]));
    end = match.index + match[0].length;
  }
  out.append(text.slice(end));
  return out;
}
