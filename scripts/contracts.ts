/** Writes the contracts from the route tables: `npm run contracts`. With `--check` it only names stale ones. Descriptions are checked. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { readArguments } from './arguments.ts';
import { agentsDocument, filesDocument } from './contracts/apis.ts';
import { asyncApi } from './contracts/asyncapi.ts';
import { consoleBodies, consoleWords } from './contracts/console.ts';
import { descriptionFaults } from './contracts/descriptions.ts';
import { llmsText } from './contracts/llms.ts';
import { openApi } from './contracts/openapi.ts';
import { postmanCollection } from './contracts/postman.ts';
import { typesOf } from './contracts/types.ts';

const ROOT = dirname(import.meta.dirname);

/** Keyed by the path from the root of the repository. */
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
    'client/src/contracts/files-and-tasks.ts': typesOf(files, 'Requests and responses of the Files & Tasks API.'),
    'client/src/contracts/agents.ts': typesOf(agents, 'Requests and responses of the agent API.'),
  };
}

function readContract(path: string): string | undefined {
  try {
    return readFileSync(join(ROOT, path), 'utf8');
  } catch {
    return undefined;
  }
}

/** Missing descriptions of both APIs and of the WebSocket channel. */
export const faultsIn = (texts: Record<string, string>): string[] =>
  Object.entries(texts)
    .filter(([path]) => /(openapi|asyncapi)\.json$/.test(path))
    .flatMap(([, text]) => descriptionFaults(JSON.parse(text)));

if (import.meta.main) {
  const { values } = readArguments({
    command: 'npm run contracts',
    options: { check: { type: 'boolean', help: 'only names stale contracts, as npm run check:contracts does' } },
  });
  const texts = contracts();
  const stale = Object.entries(texts).filter(([path, text]) => readContract(path) !== text);
  const faults = faultsIn(texts);
  if (values.check) {
    for (const [path] of stale) console.error(`${path} is stale: npm run contracts`);
    if (stale.length > 0) process.exitCode = 1;
  } else {
    for (const [path, text] of stale) {
      mkdirSync(dirname(join(ROOT, path)), { recursive: true });
      writeFileSync(join(ROOT, path), text);
      console.log(`written ${path}`);
    }
  }
  for (const fault of faults) console.error(fault);
  if (faults.length > 0) process.exitCode = 1;
}
