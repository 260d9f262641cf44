// Read a file that is compressed with gzip; some servers unpack what they send.
export async function unpack(address) {
  const answer = await fetch(address);
  if (!answer.ok) throw new Error(answer.statusText || `status ${answer.status}`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const stream = new Blob([bytes]).stream();
  const compressed = bytes[0] === 0x1f && bytes[1] === 0x8b;
  return new Response(compressed ? stream.pipeThrough(new DecompressionStream("gzip")) : stream);
}
