/** `npm run demo`: a tour of the running local product, by the client library alone. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { styleText } from 'node:util';
import { type FilesAndTasks, filesAndTasks, type Progress } from '../client/src/index.ts';
import { localConfig } from '../shared/core/config.ts';
import { readArguments } from './arguments.ts';

const root = join(import.meta.dirname, '..');
const DEMO = join(root, 'assets/demo');
const PROMPT = 'We are about to move into the office of this lease. What must we know?';
const TYPES = ['.docx', '.pdf', '.png', '.xlsx'];

type Local = { filesAndTasks: { baseUrl: string }; organizations: [{ name: string; apiKey: string }] };
const say = (label: string, text: string) => console.log(`  ${styleText('bold', label.padEnd(10))} ${text}`);

function running(): Local {
  const { stateFolder } = localConfig(process.env);
  try {
    return JSON.parse(readFileSync(join(stateFolder, 'local.json'), 'utf8')) as Local;
  } catch {
    throw new Error('Errand does not run: start it in another terminal with npm start.');
  }
}

async function upload({ files }: FilesAndTasks, name: string): Promise<string> {
  let size = 0;
  const onProgress = ({ totalBytes }: Progress) => {
    size = totalBytes;
  };
  const { fileId } = await files.upload(join(DEMO, name), { onProgress });
  say('uploaded', `${name} (${size} bytes)`);
  return fileId;
}

/** The operator's part: the ordinary command line on the same state folder. */
function putKnowledge(noun: 'workflow' | 'ruleset', file: string, organization: string): string {
  const line = ['bin/errand.ts', noun, 'put', join(DEMO, file), '--org', organization, '--json'];
  const { id, name, version } = JSON.parse(execFileSync(process.execPath, line, { cwd: root, encoding: 'utf8' }));
  say(noun, `${name}, version ${version}`);
  return id as string;
}

async function waitForEnd({ tasks }: FilesAndTasks, taskId: string) {
  const begun = Date.now();
  let line = '';
  const onPoll = ({ status }: { status: string }) => {
    line = `  ${styleText('bold', 'task'.padEnd(10))} ${status}, ${((Date.now() - begun) / 1_000).toFixed(1)} s`;
    process.stdout.write(process.stdout.isTTY ? `\r${line}` : '');
  };
  const task = await tasks.wait(taskId, { onPoll });
  process.stdout.write(process.stdout.isTTY ? '\n' : `${line}\n`);
  return task;
}

async function tour(): Promise<void> {
  const local = running();
  const [{ name: organization, apiKey }] = local.organizations;
  const errand = filesAndTasks({ baseUrl: local.filesAndTasks.baseUrl, apiKey });
  const documents = readdirSync(DEMO).filter((file) => TYPES.includes(extname(file)));
  const fileIds: string[] = [];
  for (const name of documents) fileIds.push(await upload(errand, name));
  const workflowIds = [putKnowledge('workflow', 'move-review.md', organization)];
  const rulesetIds = [putKnowledge('ruleset', 'wording.md', organization)];
  const { taskId } = await errand.tasks.create({
    namespace: 'demo',
    input: { type: 'chat', prompt: PROMPT, fileIds, workflowIds, rulesetIds },
  });
  say('submitted', taskId);
  const task = await waitForEnd(errand, taskId);
  if (task.status === 'failure') throw new Error(`The task failed: ${task.error.message}`);
  const { output } = task;
  console.log(`\n${output.text}\n`);
  if (!output.archive) return;
  const archive = Buffer.from(await (await fetch(output.archive.presignedUrl)).arrayBuffer());
  const file = join(localConfig(process.env).stateFolder, 'demo-results.zip');
  writeFileSync(file, archive);
  say('archive', `${file} (${archive.length} bytes)`);
}

readArguments({ command: 'npm run demo' });
try {
  await tour();
} catch (error) {
  console.error(`demo: ${(error as Error).message}`);
  process.exitCode = 1;
}
