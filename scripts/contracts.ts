/** Writes the contracts from the route tables: `npm run contracts`. With `--check` it only tells which are stale. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { asyncApi } from './contracts/asyncapi.ts';
import { consoleBodies, consoleWords } from './contracts/console.ts';
import { agentsDocument, filesDocument } from './contracts/faces.ts';
import { llmsText } from './contracts/llms.ts';
import { openApi } from './contracts/openapi.ts';
import { postmanCollection } from './contracts/postman.ts';
import { typesOf } from './contracts/types.ts';

const ROOT = dirname(import.meta.dirname);

/** By the path from the root of the repository. */
export function contracts(): Record<string, string> {
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const [files, agents] = [openApi(filesDocument), openApi(agentsDocument)];
  return {
    'contracts/files-and-tasks.openapi.json': json(files),
    'contracts/agents.openapi.json': json(agents),
    'contracts/agents.asyncapi.json': json(asyncApi()),
    'contracts/errand.postman.json': json(postmanCollection(files as never, agents as never)),
    'contracts/llms.txt': llmsText([files, agents] as never),
    'console/contract/bodies.ts': consoleBodies(files as never, agents as never),
    'console/contract/words.ts': consoleWords(files as never, agents as never),
    'client/src/contracts/files-and-tasks.ts': typesOf(files, 'What the Files & Tasks API takes and answers.'),
    'client/src/contracts/agents.ts': typesOf(agents, 'What the API of background agents takes and answers.'),
  };
}

function written(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

if (import.meta.main) {
  const stale = Object.entries(contracts()).filter(([path, text]) => written(path) !== text);
  if (process.argv.includes('--check')) {
    for (const [path] of stale) console.error(`${path} is stale: npm run contracts`);
    process.exitCode = stale.length > 0 ? 1 : 0;
  } else {
    for (const [path, text] of stale) {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true });
      writeFileSync(join(ROOT, path), text);
      console.log(`written ${path}`);
    }
  }
}
