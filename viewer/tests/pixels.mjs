// What an element shows, pixel by pixel.

// Decoded by the browser itself.
export async function pixels(page, locator) {
  const png = (await locator.screenshot()).toString("base64");
  const { width, height, data } = await page.evaluate(async (base64) => {
    const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
    const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
    const canvas = new OffscreenCanvas(bitmap.width, bitmap.height);
    const context = canvas.getContext("2d");
    context.drawImage(bitmap, 0, 0);
    const image = context.getImageData(0, 0, bitmap.width, bitmap.height);
    let text = "";
    for (let i = 0; i < image.data.length; i += 32768)
      text += String.fromCharCode(...image.data.subarray(i, i + 32768));
    return { width: bitmap.width, height: bitmap.height, data: btoa(text) };
  }, png);
  return { width, height, data: Buffer.from(data, "base64") };
}

// Hue in degrees, saturation 0 to 1.
function hue(r, g, b) {
  const high = Math.max(r, g, b);
  const range = high - Math.min(r, g, b);
  if (range === 0) return [0, 0];
  const h = high === r ? ((g - b) / range + 6) % 6 : high === g ? (b - r) / range + 2 : (r - g) / range + 4;
  return [60 * h, range / high];
}

// How many pixels have the hue of each colour, within some degrees: light and shade change the rest.
export function colours(image, wanted, within = 12) {
  const hues = wanted.map((c) => [1, 3, 5].map((k) => parseInt(c.slice(k, k + 2), 16))).map((c) => hue(...c)[0]);
  const counts = wanted.map(() => 0);
  for (let i = 0; i < image.data.length; i += 4) {
    const [h, s] = hue(image.data[i], image.data[i + 1], image.data[i + 2]);
    if (s < 0.25) continue;
    hues.forEach((x, k) => {
      const d = Math.abs(h - x);
      if (Math.min(d, 360 - d) <= within) ++counts[k];
    });
  }
  return Object.fromEntries(wanted.map((c, k) => [c, counts[k]]));
}

// The middle of the pixels of one hue, from the element's upper left corner.
export function centre(image, wanted, within = 8) {
  const target = hue(...[1, 3, 5].map((k) => parseInt(wanted.slice(k, k + 2), 16)))[0];
  let [n, x, y] = [0, 0, 0];
  for (let i = 0; i < image.data.length; i += 4) {
    const [h, s] = hue(image.data[i], image.data[i + 1], image.data[i + 2]);
    const d = Math.abs(h - target);
    if (s < 0.3 || Math.min(d, 360 - d) > within) continue;
    ++n;
    x += (i / 4) % image.width;
    y += Math.floor(i / 4 / image.width);
  }
  return { n, x: x / n, y: y / n };
}
