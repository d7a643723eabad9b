/** `npm run demo`: a tour of the running local product, over its API alone. */
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { styleText } from 'node:util';
import { localConfig } from '../shared/core/config.ts';

const root = join(import.meta.dirname, '..');
const DEMO = join(root, 'assets/demo');
const PROMPT = 'We are about to move into the office of this lease. What must we know?';
const TYPES: Record<string, string> = {
  '.docx': 'application/vnd.openxmlformats-officedocument.wordprocessingml.document',
  '.pdf': 'application/pdf',
  '.png': 'image/png',
  '.xlsx': 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

type Local = { filesAndTasks: { baseUrl: string }; organizations: [{ name: string; apiKey: string }] };
type Task = {
  status: string;
  output?: { text: string; archive?: { presignedUrl: string; sizeBytes: number } };
  error?: { code: string; message: string };
};

const say = (label: string, text: string) => console.log(`  ${styleText('bold', label.padEnd(10))} ${text}`);

function running(): Local {
  const { stateFolder } = localConfig(process.env);
  try {
    return JSON.parse(readFileSync(join(stateFolder, 'local.json'), 'utf8')) as Local;
  } catch {
    throw new Error('Errand does not run: start it in another terminal with npm start.');
  }
}

function client({ filesAndTasks: { baseUrl }, organizations: [{ apiKey }] }: Local) {
  return async <T>(path: string, body?: object): Promise<T> => {
    const response = await fetch(baseUrl + path, {
      method: body ? 'POST' : 'GET',
      headers: { authorization: `Bearer ${apiKey}`, 'content-type': 'application/json' },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const answer = (await response.json()) as T & { error?: unknown };
    if (!response.ok) throw new Error(`${path} answered ${response.status}: ${JSON.stringify(answer.error)}`);
    return answer;
  };
}

type Call = ReturnType<typeof client>;

async function upload(call: Call, name: string): Promise<string> {
  const bytes = readFileSync(join(DEMO, name));
  type Offer = { fileId: string; uploadUrl: string; storagePath: string };
  const { fileId, uploadUrl, storagePath } = await call<Offer>('/files', { fileName: name });
  const mimeType = TYPES[extname(name)] ?? 'text/plain';
  const put = await fetch(uploadUrl, { method: 'PUT', headers: { 'content-type': mimeType }, body: bytes });
  if (!put.ok) throw new Error(`The upload of ${name} was answered with ${put.status}.`);
  await call(`/files/${fileId}/complete`, { fileName: name, mimeType, size: bytes.length, storagePath });
  say('uploaded', `${name} (${bytes.length} bytes)`);
  return fileId;
}

/** The operator's part: on the same state, by the same command line as anybody's. */
function put(noun: 'workflow' | 'ruleset', file: string, organization: string): string {
  const line = ['bin/errand.ts', noun, 'put', join(DEMO, file), '--org', organization, '--json'];
  const { id, name, version } = JSON.parse(execFileSync(process.execPath, line, { cwd: root, encoding: 'utf8' }));
  say(noun, `${name}, version ${version}`);
  return id as string;
}

async function finished(call: Call, taskId: string): Promise<Task> {
  const begun = Date.now();
  for (;;) {
    const task = await call<Task>(`/tasks/${taskId}`);
    const line = `  ${styleText('bold', 'task'.padEnd(10))} ${task.status}, ${((Date.now() - begun) / 1_000).toFixed(1)} s`;
    process.stdout.write(process.stdout.isTTY ? `\r${line}` : '');
    if (task.output ?? task.error) {
      process.stdout.write(process.stdout.isTTY ? '\n' : `${line}\n`);
      return task;
    }
    await setTimeout(200);
  }
}

async function tour(): Promise<void> {
  const local = running();
  const call = client(local);
  const [{ name: organization }] = local.organizations;
  const documents = readdirSync(DEMO).filter((file) => extname(file) in TYPES);
  const fileIds: string[] = [];
  for (const name of documents) fileIds.push(await upload(call, name));
  const workflowIds = [put('workflow', 'move-review.md', organization)];
  const rulesetIds = [put('ruleset', 'wording.md', organization)];
  const { taskId } = await call<{ taskId: string }>('/tasks', {
    namespace: 'demo',
    delivery: { type: 'webhook', config: { endpoint: 'http://127.0.0.1:4999/errand' } },
    input: { type: 'chat', prompt: PROMPT, fileIds, workflowIds, rulesetIds },
  });
  say('submitted', taskId);
  const { output, error } = await finished(call, taskId);
  if (!output) throw new Error(`The task failed: ${error?.message}`);
  console.log(`\n${output.text}\n`);
  if (!output.archive) return;
  const archive = Buffer.from(await (await fetch(output.archive.presignedUrl)).arrayBuffer());
  const file = join(localConfig(process.env).stateFolder, 'demo-results.zip');
  writeFileSync(file, archive);
  say('archive', `${file} (${archive.length} bytes)`);
}

try {
  await tour();
} catch (error) {
  console.error(`demo: ${(error as Error).message}`);
  process.exitCode = 1;
}
