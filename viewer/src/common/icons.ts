// Icons: strokes on a 20 × 20 grid, in the colour of the text around them.
const paths: Record<string, string> = {
  play: '<path d="M6 4l10 6-10 6z" fill="currentColor"/>',
  pause: '<path d="M6 4h3v12H6zM12 4h3v12h-3z" fill="currentColor" stroke="none"/>',
  step: '<path d="M5 4l7 6-7 6z" fill="currentColor"/><path d="M15 4v12"/>',
  reset: '<path d="M4.5 10a5.5 5.5 0 1 0 2-4.2"/><path d="M4.5 3v4h4"/>',
  undo: '<path d="M4 8h8a4 4 0 0 1 0 8H8"/><path d="M7 4.5L3.5 8 7 11.5"/>',
  redo: '<path d="M16 8H8a4 4 0 0 0 0 8h4"/><path d="M13 4.5L16.500 8 13 11.500"/>',
  fit: '<path d="M3 7V3h4M13 3h4v4M17 13v4h-4M7 17H3v-4"/><circle cx="10" cy="10" r="2.500"/>',
  connect: '<circle cx="5" cy="15" r="2.200"/><circle cx="15" cy="5" r="2.200"/><path d="M6.700 13.300l6.600-6.600"/>',
  body: '<rect x="3" y="7.500" width="14" height="5" rx="2.500"/>',
  arrow: '<path d="M4 16L15 5M8.500 4.500H15.500V11.500"/>',
  trace: '<path d="M3 14c3-9 6-9 8-4s4 4 6-4"/>',
  names: '<path d="M4 5h12M10 5v11M7.500 16h5"/>',
  plot: '<path d="M3 3v14h14"/><path d="M5.500 13l3.500-4 3 2.500 4.500-6"/>',
  save: '<path d="M10 3v9M6.500 8.500L10 12l3.500-3.500"/><path d="M4 14v3h12v-3"/>',
  help: '<circle cx="10" cy="10" r="7"/><path d="M7.800 8a2.200 2.200 0 1 1 3.200 2c-.8.4-1 .8-1 1.600"/><path d="M10 14.200v.1"/>',
  theme: '<circle cx="10" cy="10" r="6.500"/><path d="M10 3.500v13a6.500 6.500 0 0 0 0-13z" fill="currentColor"/>',
  trash: '<path d="M4 6h12M8 6V4h4v2M6 6l.7 10h6.600L14 6"/>',
  close: '<path d="M5 5l10 10M15 5L5 15"/>',
  plus: '<path d="M10 4v12M4 10h12"/>',
  joint: '<circle cx="10" cy="10" r="5.500"/><circle cx="10" cy="10" r="1.600" fill="currentColor"/>',
  spring: '<path d="M2 10h3l1.500-4 3 8 3-8 1.500 4h4"/>',
  motor:
    '<path d="M15.500 10a5.500 5.500 0 1 1-2-4.200"/><path d="M15.500 2.500v4h-4"/><circle cx="10" cy="10" r="1.200" fill="currentColor"/>',
  image:
    '<rect x="3" y="4" width="14" height="12" rx="1.500"/><path d="M3.500 13.500l4-4 3.500 3.500 2.500-2 3 2.500"/>',
  table: '<rect x="3" y="4" width="14" height="12" rx="1.500"/><path d="M3 8.500h14M3 12.300h14M8 4v12"/>',
  menu: '<path d="M3 5.500h14M3 10h14M3 14.500h14"/>',
  text: '<path d="M7 5L2.500 10 7 15M13 5l4.500 5-4.500 5M11.500 3.500l-3 13"/>',
  glass:
    '<rect x="3" y="5" width="9" height="9" rx="1"/><rect x="8" y="8" width="9" height="9" rx="1" stroke-dasharray="2 2"/>',
  hide: '<path d="M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5z"/><path d="M4 16L16 4"/>',
  alone:
    '<circle cx="10" cy="10" r="3.500" fill="currentColor"/><circle cx="10" cy="10" r="7.500" stroke-dasharray="2 2.500"/>',
  video: '<rect x="2.500" y="5.500" width="10" height="9" rx="1.500"/><path d="M12.500 9l5-3v8l-5-3z"/>',
  all: '<path d="M2 10s3-5 8-5 8 5 8 5-3 5-8 5-8-5-8-5z"/><circle cx="10" cy="10" r="2.300"/>',
  pencil: '<path d="M4 16l1-4L14 3l3 3-9 9zM12 5l3 3"/>',
  log: '<path d="M4 5h12M4 9h12M4 13h8"/>',
};

export function icon(name: keyof typeof paths & string): SVGSVGElement {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "0 0 20 20");
  svg.setAttribute("class", "icon");
  svg.setAttribute("aria-hidden", "true");
  svg.innerHTML = paths[name] ?? "";
  return svg;
}
