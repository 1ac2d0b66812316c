// A link that carries a deck: compressed, behind the # of an address, which browsers send to no
// server.

const MAX_DECK = 1 << 20;
const LINK = /#name=([^&#\s]*)&deck=([\w-]+)\s*$/;

// Sends bytes through a stream. Throws where more than `most` come out.
async function through(stream, bytes, most = Infinity) {
  const reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), parts = [];
  for (let size = 0; size <= most;) {
    const {done, value} = await reader.read();
    if (done) return new Uint8Array(await new Blob(parts).arrayBuffer());
    parts.push(value);
    size += value.length;
  }
  throw new RangeError("too large");
}

export async function linkOf(name, text) {
  const bytes = await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text));
  const base64 = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  const packed = base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  return `${location.origin}${location.pathname}#name=${encodeURIComponent(name)}&deck=${packed}`;
}

export const isLink = (text) => LINK.test(text);

// The name and text of the deck in a link, or in its end from # on.
export async function deckOf(link) {
  const [, name, packed] = LINK.exec(link);
  try {
    const bytes = Uint8Array.from(atob(packed.replaceAll("-", "+").replaceAll("_", "/")), (letter) => letter.charCodeAt(0));
    const text = await through(new DecompressionStream("deflate-raw"), bytes, MAX_DECK);
    return {name: decodeURIComponent(name), text: new TextDecoder("utf-8", {fatal: true}).decode(text)};
  } catch {
    throw new Error("the link does not hold a deck that can be read. Copy all of it.");
  }
}
