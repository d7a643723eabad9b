/** Idempotency keys when the outcome of the work is unknown: at most one object is created. */
import { afterEach, beforeEach, expect, it } from 'vitest';
import { filesAndTasks } from '../../../functions/files-and-tasks/api.ts';
import { dispatcher } from '../../../functions/http/dispatch.ts';
import type { HttpResponse } from '../../../functions/http/route.ts';
import { deleteFile } from '../../../shared/files/cleanup.ts';
import { uploadKey } from '../../../shared/files/file.ts';
import { completeUpload } from '../../../shared/files/upload.ts';
import type { Draft, Table } from '../../../shared/ports.ts';
import { openFiles, putText } from '../../shared/files/setup.ts';
import { apiContextOf, postOf } from './api-context.ts';

let at: ReturnType<typeof openFiles>;
beforeEach(() => {
  at = openFiles();
});
afterEach(() => at.close());

const idIn = ({ body }: HttpResponse): string => JSON.parse(body).fileId;

/** Writes the row of the first file, and loses the given number of replies. */
function losing(times: number): Table & { made: string[] } {
  const made: string[] = [];
  return {
    ...at.table,
    made,
    async insert<T>(draft: Draft<T>) {
      const row = await at.table.insert(draft);
      if (draft.sk !== 'FILE' || !row) return row;
      made.push(draft.pk);
      if (made.length <= times) throw new Error('The reply got lost.');
      return row;
    },
  };
}

it('runs again at once with the same id when the reply to a successful write was lost', async () => {
  const table = losing(1);
  const dispatch = dispatcher(filesAndTasks, apiContextOf({ ...at, table }));
  const first = await dispatch(postOf({ fileName: 'a.txt' }, 'key'));
  const second = await dispatch(postOf({ fileName: 'a.txt' }, 'key'));
  expect([first.status, second.status]).toEqual([500, 200]);
  expect(table.made).toEqual([`O#org#F#${idIn(second)}`]);
  expect(second.headers['idempotent-replayed']).toBeUndefined();
  const third = await dispatch(postOf({ fileName: 'a.txt' }, 'key'));
  expect([third.headers['idempotent-replayed'], idIn(third)]).toEqual(['true', idIn(second)]);
});

it('continues with the storage path of a first try whose write arrived late', async () => {
  let late: Draft<unknown> | undefined;
  const table: Table = {
    ...at.table,
    async insert<T>(draft: Draft<T>) {
      if (draft.sk !== 'FILE') return at.table.insert(draft);
      if (!late) {
        late = draft;
        throw new Error('No reply in time.');
      }
      await at.table.insert(late); // during the second try
      return at.table.insert(draft);
    },
  };
  const dispatch = dispatcher(filesAndTasks, apiContextOf({ ...at, table }));
  await dispatch(postOf({ fileName: 'a.txt' }, 'key'));
  at.clock.pass(5);
  const second = await dispatch(postOf({ fileName: 'a.txt' }, 'key'));
  expect(late?.value).toMatchObject({ storagePath: JSON.parse(second.body).storagePath });
});

it('binds a key to its body even when the first call ended in a 500', async () => {
  const dispatch = dispatcher(filesAndTasks, apiContextOf({ ...at, table: losing(1) }));
  await dispatch(postOf({ fileName: 'a.txt' }, 'key'));
  expect((await dispatch(postOf({ fileName: 'b.txt' }, 'key'))).status).toBe(422);
  expect((await dispatch(postOf({ fileName: 'a.txt' }, 'key'))).status).toBe(200);
});

const HOUR = 3_600_000;

it('signs the URL of a replay for an hour, and never for longer than the upload is accepted', async () => {
  const dispatch = dispatcher(filesAndTasks, apiContextOf(at));
  const request = postOf({ fileName: 'a.txt' }, 'key');
  const lifeOf = ({ body }: HttpResponse) =>
    Number(new URL(JSON.parse(body).uploadUrl).searchParams.get('expires')) - at.clock.now();
  expect(lifeOf(await dispatch(request))).toBe(HOUR);
  at.clock.pass(23 * HOUR);
  expect(lifeOf(await dispatch(request))).toBe(HOUR);
  at.clock.pass(HOUR - 90_500);
  expect(lifeOf(await dispatch(request))).toBe(90_000);
  at.clock.pass(90_000);
  const last = await dispatch(request);
  expect([last.status, JSON.parse(last.body)]).toEqual([404, { error: 'File not found' }]);
});

it('does not store signed URLs', async () => {
  const { body } = await dispatcher(filesAndTasks, apiContextOf(at))(postOf({ fileName: 'a.txt' }, 'key'));
  const { uploadUrl, fileId } = JSON.parse(body);
  expect(at.table.rowsContaining(fileId).map(({ sk }) => sk)).toContain('CLAIM');
  expect(at.table.rowsContaining(new URL(uploadUrl).searchParams.get('signature') ?? '')).toEqual([]);
});

it('does not replay the URL of a file that was deleted meanwhile', async () => {
  const dispatch = dispatcher(filesAndTasks, apiContextOf(at));
  const request = postOf({ fileName: 'a.txt' }, 'key');
  const { fileId, storagePath } = JSON.parse((await dispatch(request)).body);
  const file = { organization: 'org', fileId };
  await putText(at.blobs, uploadKey('org', fileId, at.clock.now()), 'hello');
  await completeUpload(at, { ...file, storagePath, fileName: 'a.txt', mimeType: 'a/b', size: 5 });
  expect((await dispatch(request)).status).toBe(200);
  await deleteFile(at, file);
  expect((await dispatch(request)).status).toBe(404);
});

it('releases the key of a refused call, also for another body', async () => {
  const dispatch = dispatcher(filesAndTasks, apiContextOf(at));
  expect((await dispatch(postOf({ fileName: 'a.exe' }, 'key'))).status).toBe(400);
  expect((await dispatch(postOf({ fileName: 'a.txt' }, 'key'))).status).toBe(200);
});
