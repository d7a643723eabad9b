/** An organization goes from one deployed stage to another, whose stacks, tables and buckets are in emulators. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ListObjectVersionsCommand, S3Client } from '@aws-sdk/client-s3';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { State } from '../../../bin/operator/command.ts';
import { stageState } from '../../../bin/operator/stage-state.ts';
import { passwords } from '../../../engines/passwords/passwords.ts';
import { getFile } from '../../../shared/files/get-file.ts';
import type { Any } from '../../support/any.ts';
import { temporaryFolder } from '../../support/temporary-folder.ts';
import { fillOrganization, shownOrganization } from './full-organization.ts';
import { createStage, errand, uploadsOf } from './stages.ts';

const number = Date.now();
const [from, to, copy] = ['from', 'to', 'copy'].map((name) => `${name}${number}`) as [string, string, string];
const folder = temporaryFolder();
const exportedTo = join(folder.path, 'export');

let source: State;
let target: State;
let id: string;
let filled: Awaited<ReturnType<typeof fillOrganization>>;

beforeAll(async () => {
  for (const stage of [from, to, copy]) await createStage(stage);
  [source, target] = [await stageState(from), await stageState(to)];
  id = errand('org', 'create', 'Acme', '--stage', from).id;
  errand('org', 'create', 'Other', '--stage', from);
  filled = await fillOrganization({ ...source, passwords: passwords({ logCost: 10 }) }, id);
});
afterAll(() => folder.remove());

const s3 = new S3Client({ requestChecksumCalculation: 'WHEN_REQUIRED' });

const versionsIn = async (stage: string) => {
  const { Versions = [] } = await s3.send(new ListObjectVersionsCommand({ Bucket: uploadsOf(stage) }));
  return Versions.map(({ Key, VersionId }) => `${Key}#${VersionId}`);
};

it('takes the rows, files and results of an organization along, and no secret', async () => {
  const { rows, files, lostFiles, lostBlobs } = errand('org', 'export', 'Acme', '--stage', from, '--to', exportedTo);
  expect({ files, lostFiles, lostBlobs }).toEqual({ files: 4, lostFiles: 0, lostBlobs: 0 });
  const text = ['manifest.json', 'rows.jsonl'].map((name) => readFileSync(join(exportedTo, name), 'utf8')).join('');
  for (const secret of filled.planted) expect([secret, text.includes(secret)]).toEqual([secret, false]);
  expect(text).not.toContain('Other');

  expect(errand('org', 'import', exportedTo, '--continue', '--stage', to)).toMatchObject({
    id,
    written: rows,
    present: 0,
  });
  const [before, after] = await Promise.all([source, target].map((state) => shownOrganization(state, id)));
  expect(before?.tasks).toHaveLength(5);
  expect(before?.files.map(({ bytes }) => bytes).toSorted()).toEqual(['a whole upload', 'hello']);
  expect(after).toEqual(before);
});

it('names the version that the upload has in the new bucket, which its download address returns', async () => {
  const address = { organization: id, fileId: filled.upload.fileId };
  const { url, bytesAt } = await getFile(target, address);
  expect(await versionsIn(to)).toEqual([bytesAt]);
  expect(bytesAt).not.toBe(filled.upload.bytesAt);
  expect(await (await fetch(url)).text()).toBe('a whole upload');
});

it('writes nothing a second time', async () => {
  const [rows, versions] = [await shownOrganization(target, id), await versionsIn(to)];
  const again = errand('org', 'import', exportedTo, '--continue', '--stage', to);
  expect(again).toMatchObject({ written: 0, cancelledTasks: 0 });
  expect([await shownOrganization(target, id), await versionsIn(to)]).toEqual([rows, versions]);
});

it('cancels unfinished tasks and sends no events, unless they are to go on', async () => {
  const report = errand('org', 'import', exportedTo, '--stage', copy);
  expect(report).toMatchObject({ cancelledTasks: 2, undeliveredEvents: 4 });
  expect(new Set(report.setAgain.map(({ what }: Any) => what))).toEqual(
    new Set(['API key', 'model connection', 'search provider', 'single sign-on', 'webhook secret']),
  );
  const { tasks } = await shownOrganization(await stageState(copy), id);
  expect(tasks.map(({ task }) => task.state).toSorted()).toEqual([
    'cancelled',
    'cancelled',
    'cancelled',
    'cancelled',
    'succeeded',
  ]);
  expect(tasks.flatMap(({ deliveries }) => deliveries.map(({ state }) => state))).not.toContain('pending');
});
