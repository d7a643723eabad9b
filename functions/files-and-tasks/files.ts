/** The routes of files. */
import * as v from 'valibot';
import { toIsoTime } from '../../shared/core/time.ts';
import { deleteFile } from '../../shared/files/cleanup.ts';
import { getFile, listFiles } from '../../shared/files/file.ts';
import { completeUpload } from '../../shared/files/upload.ts';
import { type Route, route } from '../http/route.ts';
import { addFile, INCOMING } from './add-file.ts';
import type { FilesContext } from './api.ts';
import { pageIn, READS, required, requiredBytes, WRITES } from './schema.ts';

const MISSING = 'Missing required fields';

const MOST_TYPE = 255;

const completion = v.object({
  fileName: required('fileName', MISSING),
  mimeType: v.pipe(
    required('mimeType', MISSING),
    v.maxLength(MOST_TYPE, `mimeType has at most ${MOST_TYPE} characters`),
  ),
  size: requiredBytes('size', MISSING),
  storagePath: required('storagePath', MISSING),
});

const complete = route<FilesContext, 'member', v.InferOutput<typeof completion>>({
  method: 'POST',
  path: '/api/v1/files/:fileId/complete',
  about: 'Makes the file of an upload.',
  caller: 'member',
  limit: INCOMING,
  body: completion,
  replies: { 201: 'The file exists.' },
  async run({ caller, body, params: { fileId = '' } }, context) {
    await completeUpload(context, { ...body, organization: caller.organization, fileId });
    return { status: 201, body: { fileId } };
  },
});

const get = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/files/:fileId',
  about: 'Shows a file, with an address to download it from for ten minutes.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The file.' },
  async run({ caller, params: { fileId = '' } }, context) {
    const file = await getFile(context, { organization: caller.organization, fileId });
    const { fileName, mimeType, size, url } = file;
    const times = { urlExpiresAt: toIsoTime(file.urlExpiresAt), createdAt: toIsoTime(file.createdAt) };
    return { status: 200, body: { fileId, fileName, mimeType, size, url, ...times } };
  },
});

const list = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/files',
  about: 'Lists the files, the newest first.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'A page of files.' },
  async run({ caller, query }, context) {
    const { rows, next = null } = await listFiles(context, { organization: caller.organization, ...pageIn(query) });
    const files = rows.map(({ fileId, fileName, mimeType, size, createdAt }) => ({
      fileId,
      fileName,
      mimeType,
      size,
      createdAt: toIsoTime(createdAt),
    }));
    return { status: 200, body: { files, nextCursor: next } };
  },
});

const remove = route<FilesContext, 'member'>({
  method: 'DELETE',
  path: '/api/v1/files/:fileId',
  about: 'Deletes a file.',
  caller: 'member',
  limit: WRITES,
  replies: { 204: 'It is gone.' },
  async run({ caller, params: { fileId = '' } }, context) {
    await deleteFile(context, { organization: caller.organization, fileId });
    return { status: 204 };
  },
});

export const fileRoutes: Route<FilesContext>[] = [addFile, complete, get, list, remove];
