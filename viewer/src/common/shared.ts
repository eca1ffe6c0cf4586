// A page to share shows what the one who saved it saw: the place of the eye, what is drawn, the curves, the moment.

export interface Viewpoint {
  direction: number[]; // from what is looked at to the eye, of length one
  target: number[]; // m
  height: number; // m, that the picture shows at the target
  fitted: boolean; // everything is shown, whatever the shape of the window
}

export interface SharedView {
  view: Viewpoint;
  t: number; // s
  arrows: boolean;
  names: boolean;
  plots: { names: string[]; log: boolean }[];
}

const ID = "shared";
const BEFORE = '<script type="application/json" id="run">';

// The page with the view in it.
export function withView(html: string, view: SharedView): string {
  const text = JSON.stringify(view).replaceAll("<", "\\u003c");
  return html.replace(BEFORE, () => `<script type="application/json" id="${ID}">${text}</script>\n${BEFORE}`);
}

export function sharedView(): SharedView | null {
  const text = document.getElementById(ID)?.textContent;
  return text ? (JSON.parse(text) as SharedView) : null;
}
