// Builds the pages: dist/live.html and dist/report.html, each one self-contained file, and, when a folder is
// given, page_data.cpp there, which holds both as text for the program.
//   node build.mjs [FOLDER]
import { build } from "esbuild";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

const root = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(root, "dist");
mkdirSync(out, { recursive: true });

// A file that keeps its time is not compiled again.
function writeIfChanged(path, text) {
  if (!existsSync(path) || readFileSync(path, "utf8") !== text) writeFileSync(path, text);
}

async function bundle(entry) {
  const result = await build({
    entryPoints: [join(root, "src", entry)],
    bundle: true,
    minify: true,
    write: false,
    outdir: "out",
    format: "iife",
    target: "es2022",
    legalComments: "none",
    logLevel: "warning",
  });
  const text = (end) => result.outputFiles.find((f) => f.path.endsWith(end)).text;
  return { script: text(".js"), style: text(".css") };
}

// The licences of what the bundle contains, as their authors ask.
const licences = ["three", "uplot"]
  .map((name) => `${name}\n${readFileSync(join(root, "node_modules", name, "LICENSE"), "utf8")}`)
  .join("\n");

async function page(name) {
  const { script, style } = await bundle(`${name}/main.ts`);
  const template = readFileSync(join(root, "src", name, "index.html"), "utf8");
  // Functions, so that a $ in the bundle means itself; </script in a string would end the element.
  const code = script.replaceAll("</script", "<\\/script");
  const html = template
    .replace("/*LICENCES*/", () => licences.replaceAll("--", "- -"))
    .replace("/*STYLE*/", () => style)
    .replace("/*SCRIPT*/", () => code);
  writeFileSync(join(out, `${name}.html`), html);
  const hash = (text) => `'sha256-${createHash("sha256").update(text, "utf8").digest("base64")}'`;
  return { html, policy: `script-src ${hash(code)}; style-src ${hash(style)}` };
}

// C++ text in lines of moderate length: bytes that are not plain become octal escapes.
function literal(text) {
  const bytes = Buffer.from(text, "utf8");
  const lines = [];
  for (let start = 0; start < bytes.length; start += 2000) {
    let line = "";
    for (const b of bytes.subarray(start, start + 2000)) {
      const c = String.fromCharCode(b);
      if (b < 32 || b > 126 || c === "?") line += `\\${b.toString(8).padStart(3, "0")}`;
      else line += c === '"' || c === "\\" ? `\\${c}` : c;
    }
    lines.push(`"${line}"`);
  }
  return { code: lines.join("\n"), size: bytes.length };
}

const live = await page("live");
const pages = { live_page: live.html, live_page_policy: live.policy, report_page: (await page("report")).html };
if (process.argv[2]) {
  let code = '// Made by viewer/build.mjs.\n#include "results/report/page.h"\n\nnamespace trammel::results {\n';
  for (const [name, html] of Object.entries(pages)) {
    const { code: text, size } = literal(html);
    code += `\nstd::string_view ${name}() {\n  static constexpr char kText[] =\n${text};\n  return {kText, ${size}};\n}\n`;
  }
  writeIfChanged(join(out, "page_data.cpp"), `${code}\n}  // namespace trammel::results\n`);
}
