// The tools of the drawing board: what each is called, its key, how many places it asks for, and what it says.

export type ToolName =
  | "link"
  | "plate"
  | "ground"
  | "pin"
  | "slider"
  | "fixed"
  | "spring"
  | "damper"
  | "motor"
  | "gear"
  | "copy"
  | "mirror"
  | "measure";

export interface Tool {
  name: ToolName;
  label: string;
  key: string;
  picture: string; // strokes on a 20 × 20 grid
  picks: number; // places; 0: as many as a person likes
  hints: string[]; // before each place
  planar?: boolean; // in the plane only
  typed?: "ratio" | "angle"; // what is typed instead of a length and an angle
  chains?: boolean; // the next one begins where the last ends
  apart?: boolean; // its two places differ
}

export const TOOLS: Tool[] = [
  {
    name: "link",
    label: "Link",
    key: "l",
    picture:
      '<circle cx="4.500" cy="15.500" r="2"/><circle cx="15.500" cy="4.500" r="2"/><path d="M5.900 14.100l8.200-8.200"/>',
    picks: 2,
    hints: ["Link: click where it begins", "Click where it ends, or type its length; Esc ends the chain"],
    chains: true,
    apart: true,
  },
  {
    name: "plate",
    label: "Body with several points",
    key: "b",
    picture: '<path d="M4 15.500L16 13.500 8.500 4z"/>',
    picks: 0,
    hints: ["Body: click its first corner", "Next corner", "Next corner; Enter or the first corner closes it"],
    planar: true,
  },
  {
    name: "ground",
    label: "Ground",
    key: "g",
    picture:
      '<circle cx="10" cy="5" r="2"/><path d="M10 7l-4.500 7h9zM3 14h14M5 14l-2 3M9 14l-2 3M13 14l-2 3M17 14l-2 3"/>',
    picks: 1,
    hints: ["Ground: click a point to fix it, again to free it"],
  },
  {
    name: "pin",
    label: "Pin",
    key: "i",
    picture: '<circle cx="10" cy="10" r="3"/><path d="M2 12l5.500-1.500M18 8l-5.500 1.500"/>',
    picks: 1,
    hints: ["Pin: click where two bodies cross"],
    planar: true,
  },
  {
    name: "slider",
    label: "Slider",
    key: "s",
    picture: '<rect x="5.500" y="6" width="9" height="6"/><path d="M2 14.500h16M2 3.500h16"/>',
    picks: 2,
    hints: ["Slider: click the point that slides", "Click in the direction in which it slides, or type its angle"],
    typed: "angle",
    apart: true,
    planar: true,
  },
  {
    name: "fixed",
    label: "Weld",
    key: "w",
    picture: '<path d="M3 15l7-7 7 7"/><path d="M10 8L7 15h6z" fill="currentColor"/>',
    picks: 2,
    hints: ["Weld: click the first body", "Click the second body, or beside it for the ground"],
  },
  {
    name: "spring",
    label: "Spring",
    key: "k",
    picture: '<path d="M2 10h3l1.500-4 3 8 3-8 1.500 4h4"/>',
    picks: 2,
    hints: ["Spring: click its first end", "Click its second end"],
    apart: true,
  },
  {
    name: "damper",
    label: "Damper",
    key: "d",
    picture: '<path d="M2 10h5M7 6v8M7 6h7M7 14h7M10.500 7.500v5M10.500 10H18"/>',
    picks: 2,
    hints: ["Damper: click its first end", "Click its second end"],
    apart: true,
  },
  {
    name: "motor",
    label: "Motor",
    key: "m",
    picture:
      '<path d="M15.500 10a5.500 5.500 0 1 1-2-4.200"/><path d="M15.500 2.500v4h-4"/><circle cx="10" cy="10" r="1.200" fill="currentColor"/>',
    picks: 1,
    hints: ["Motor: click a pin or a slider"],
  },
  {
    name: "gear",
    label: "Gears",
    key: "e",
    picture:
      '<circle cx="7" cy="7" r="3.200"/><path d="M7 2v1.500M7 10.500V12M2 7h1.500M10.500 7H12M3.500 3.500l1 1M9.500 9.500l1 1M3.500 10.500l1-1M9.500 4.500l1-1"/><circle cx="14.500" cy="14.500" r="2.400"/><path d="M14.500 10.900v1.200M14.500 16.900v1.200M10.900 14.500h1.200M16.900 14.500h1.200"/>',
    picks: 2,
    hints: ["Gears: click the centre of the first", "Click the centre of the second, or type the ratio"],
    typed: "ratio",
    apart: true,
    planar: true,
  },
  {
    name: "copy",
    label: "Copy",
    key: "c",
    picture: '<rect x="3" y="3" width="9" height="9" rx="1.500"/><path d="M15 8.500h1.500V17H8v-1.500"/>',
    picks: 2,
    hints: ["Copy what is selected, or everything: click a place of it", "Click where the copy of that place goes"],
    apart: true,
  },
  {
    name: "mirror",
    label: "Mirror",
    key: "o",
    picture: '<path d="M10 2v16" stroke-dasharray="2 2"/><path d="M7.500 5v10L2.500 13zM12.500 5v10l5-2z"/>',
    picks: 2,
    hints: ["Mirror what is selected, or everything: click a place of the axis", "Click another place of the axis"],
    apart: true,
    planar: true,
  },
  {
    name: "measure",
    label: "Measure",
    key: "u",
    picture:
      '<path d="M2.500 13l10.500-10.500 4.500 4.500L7 17.500z"/><path d="M6 9.500l1.700 1.700M8.500 7l2.500 2.500M11 4.500l1.700 1.700"/>',
    picks: 0,
    hints: ["Measure: click a place", "Click a second place for the distance", "A third gives the angle; Esc ends"],
  },
];

export const toolNamed = (name: ToolName): Tool => TOOLS.find((t) => t.name === name)!;
