/** `npm start`: the whole product on one machine. */

import { resolve } from 'node:path';
import { openLocal } from '../adapters/local/context.ts';
import { localModelConnections } from '../adapters/local/model-connections.ts';
import { lockState, resetState, startFault, stateFolder } from '../adapters/local/state-folder.ts';
import { listUnconnectedModels } from '../adapters/local/unconnected-models.ts';
import { outbound } from '../engines/outbound/request.ts';
import { passwords, withVerificationCache } from '../engines/passwords/passwords.ts';
import { scryptThreads } from '../engines/passwords/scrypt-threads.ts';
import { areModelsSet, modelConfig, modelsConfig } from '../shared/accounts/model-settings.ts';
import { OFFLINE_MODELS } from '../shared/accounts/models.ts';
import { collectHeap } from '../shared/core/collect-heap.ts';
import { badCredentialsConfig, localConfig } from '../shared/core/config.ts';
import { logger } from '../shared/core/log.ts';
import { isProblem } from '../shared/core/problem.ts';
import { systemClock } from '../shared/core/time.ts';
import { readStartArguments, type Sources, type StartArguments, sourcesIn } from './local/arguments.ts';
import { demoOrganizations } from './local/demo-organizations.ts';
import { findModel } from './local/find-model.ts';
import { removeLocalFile, writeLocalFile } from './local/local-file.ts';
import { noticeOf } from './local/model-notice.ts';
import { startProduct } from './local/product.ts';
import { PASSWORDS_AT_ONCE } from './local/serve-apis.ts';
import { startBlock } from './local/start.ts';

type Stop = () => Promise<void>;

const LAST_WORDS_MS = 100;

async function start(options: StartArguments): Promise<void> {
  const sources = sourcesIn(options);
  const config = localConfig(process.env);
  await startOn(config, { words: options, sources }).catch((error) => {
    throw startFault(resolve(config.stateFolder), error);
  });
}

type StartOptions = { words: StartArguments; sources: Sources };

async function startOn(
  config: ReturnType<typeof localConfig>,
  { words: options, sources }: StartOptions,
): Promise<void> {
  const folder = stateFolder(config.stateFolder);
  const { path } = folder;
  const lock = lockState(path);
  if (options.reset) resetState(folder);
  removeLocalFile(path);
  const local = openLocal(process.env, { publicAddress: () => `http://127.0.0.1:${config.port}` });
  const write = (line: string) => process.stderr.write(line);
  const log = logger({ clock: systemClock, write, minLevel: config.logLevel });
  const hashing = withVerificationCache(passwords({ derive: scryptThreads(PASSWORDS_AT_ONCE) }), systemClock);
  const modelConnections = localModelConnections(process.env, { isExplicit: options['no-model'] ?? false });
  // An operator who names a server or models has chosen.
  const isChosen = modelConfig(process.env).address !== undefined || areModelsSet(process.env);
  const foundModel = isChosen ? {} : await findModel(modelConnections, outbound());
  const { models } =
    foundModel.id === undefined ? modelsConfig(process.env) : { models: [foundModel.id, ...OFFLINE_MODELS] };
  const organizations = await demoOrganizations(local, { passwords: hashing, models });
  const ports: [number, number] = [config.port, config.port + 1];
  const { max: maxBadCredentials } = badCredentialsConfig(process.env);
  const product = await startProduct(local, {
    ports,
    log,
    sources,
    passwords: hashing,
    maxBadCredentials,
    organizations,
    modelConnections,
  });
  stopOnSignal(async () => {
    removeLocalFile(path);
    await product.stop();
    local.close();
    lock.release();
    // Work in progress ends as with a kill, which loses nothing that was acknowledged.
    process.exit();
  });
  // Written last, because the file means that everything is ready, a clean stop included.
  const { file, content } = writeLocalFile(path, {
    addresses: product.addresses,
    organizations,
    modelConnections,
  });
  const unreached = (await listUnconnectedModels({ ...local, running: content.modelConnections })).filter(
    ({ isDefault }) => isDefault,
  );
  const notice = await noticeOf({ local, organizations, modelConnections, detected: foundModel });
  console.log(startBlock(content, { state: path, file, sources: sources.allowSources, unreached, models: notice }));
  // Loading the modules leaves more than the product then needs.
  collectHeap();
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

const options = readStartArguments();
if (options !== undefined) {
  await start(options).catch((error) => {
    console.error(isProblem(error) ? `errand: ${error.message}` : error);
    process.exitCode = 1;
    // Handles that were opened before the failure must not keep the process alive.
    setTimeout(() => process.exit(), LAST_WORDS_MS).unref();
  });
}
