/** `npm start`: the whole product on one machine. */
import { parseArgs } from 'node:util';
import { passwords } from '../engines/passwords/passwords.ts';
import { openLocal } from '../local/context.ts';
import { resetState, stateFolder } from '../local/state-folder.ts';
import { lockState } from '../local/state-lock.ts';
import { systemClock } from '../shared/core/clock.ts';
import { localConfig } from '../shared/core/config.ts';
import { logger } from '../shared/core/log.ts';
import { isProblem } from '../shared/core/problem.ts';
import { demoOrganizations } from './local/demo.ts';
import { removeLocalFile, writeLocalFile } from './local/local-file.ts';
import { startProduct } from './local/product.ts';
import { startBlock } from './local/start-block.ts';

const USAGE = `Usage: npm start -- [--reset]

  --reset   wipes the state and the demo credentials, then starts
  --help    this page`;

type Stop = () => Promise<void>;

async function start(o: { reset: boolean }): Promise<void> {
  const config = localConfig(process.env);
  const { path } = stateFolder(config.stateFolder);
  const lock = lockState(path);
  if (o.reset) resetState(path);
  removeLocalFile(path);
  let base = '';
  const local = openLocal(process.env, { publicAddress: () => base });
  const write = (line: string) => process.stderr.write(line);
  const log = logger({ clock: systemClock, write, least: config.logLevel });
  const organizations = await demoOrganizations(local, passwords());
  const product = await startProduct(local, { ports: [config.port, config.port + 1], log });
  base = product.addresses.filesAndTasks;
  stopOnSignal(async () => {
    removeLocalFile(path);
    await product.stop();
    local.close();
    lock.release();
  });
  // The file says that all is ready, a clean stop included.
  const { file, content } = writeLocalFile(path, product.addresses, organizations);
  console.log(startBlock(content, { state: path, file }));
}

function stopOnSignal(stop: Stop): void {
  let stopping = false;
  const once = () => {
    if (stopping) process.exit(1);
    stopping = true;
    stop().catch((error) => {
      console.error(error);
      process.exitCode = 1;
    });
  };
  process.on('SIGINT', once);
  process.on('SIGTERM', once);
}

function read(): { reset?: boolean; help?: boolean } | undefined {
  try {
    return parseArgs({ options: { reset: { type: 'boolean' }, help: { type: 'boolean' } } }).values;
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${USAGE}`);
    return undefined;
  }
}

const asked = read();
if (asked === undefined) process.exitCode = 2;
else if (asked.help) console.log(USAGE);
else {
  await start({ reset: asked.reset ?? false }).catch((error) => {
    console.error(isProblem(error) ? `errand: ${error.message}` : error);
    process.exitCode = 1;
  });
}
