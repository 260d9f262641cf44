// Read a file that is compressed with gzip; some servers unpack what they send.
export async function unpack(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText || `status ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const stream = new Blob([bytes]).stream();
  const compressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return new Response(compressed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream);
}

const versions = new URL("..", import.meta.url).href; // scripts are in the folder assets/ of the site

// The text of a pack, with links that begin at `root`, the path to the version's own root.
export async function packed(name, root) {
  const text = await (await unpack(`${versions}packed/${name.slice(0, 2)}/${name}.html.gz`)).text();
  return text.replaceAll("@root@", root).replaceAll("@versions@", versions);
}

// The records of a pack as file -> text: each text is steps in a table of lines, or lines of its own.
export async function records(name) {
  const json = async (place) => (await unpack(`${versions}records/${place}.json.gz`)).json();
  const { table, files } = await json(`${name.slice(0, 2)}/${name}`);
  const lines = await json(`tables/${table}`);
  const text = (pieces) => {
    let next = 0;
    return pieces.map((piece) => (typeof piece === "string" ? piece : lines[(next += piece + 1) - 1])).join("");
  };
  return Object.fromEntries(Object.entries(files).map(([file, pieces]) => [file, text(pieces)]));
}
