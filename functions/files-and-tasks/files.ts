/** The routes of files: import by URL, signed upload, list, read and delete. */
import * as v from 'valibot';
import { toIsoTime } from '../../shared/core/time.ts';
import { deleteFile } from '../../shared/files/cleanup.ts';
import type { StoredFile } from '../../shared/files/file.ts';
import { getFile } from '../../shared/files/get-file.ts';
import { importFile } from '../../shared/files/import-file.ts';
import { listFiles } from '../../shared/files/list-files.ts';
import { completeUpload, renewOffer, requestUpload, type UploadOffer } from '../../shared/files/upload.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { type Route, route } from '../http/route.ts';
import type { FileInList } from './file-contract.ts';
import { type FilesContext, pageIn, READS, required, WRITES } from './schema.ts';

const WHOLE = 'must be a whole number of bytes';

/** An optional text: absent, null and empty are the same. */
const optional = (field: string) => v.nullish(v.string(`${field} must be a string`), '');

const requiredBytes = (field: string, missing: string) =>
  v.pipe(
    v.nullish(v.unknown(), null),
    v.custom<number>((value) => value !== null, missing),
    v.number(`${field} ${WHOLE}`),
    v.safeInteger(`${field} ${WHOLE}`),
    v.minValue(0, `${field} ${WHOLE}`),
  );

// `POST /files` has two modes: the service fetches a URL, or returns a URL to upload to.

/** Shared by all routes that add files. */
const INCOMING: Limit = { name: 'files', minute: 600, inBlocks: true };

const source = v.pipe(
  v.object({ url: optional('url'), fileName: optional('fileName') }),
  v.check(({ url, fileName }) => url !== '' || fileName !== '', 'Missing required fields'),
  v.check(({ url, fileName }) => url === '' || fileName === '', 'Provide either url or fileName, not both'),
);

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const newFileTexts = () => ({
  url: 'A public HTTPS URL that the service fetches the file from during the call; give this or `fileName`.',
  fileName: 'The name, with its extension, of a file that you upload to a signed URL; give this or `url`.',
});

const addFile = route<FilesContext, 'member', v.InferOutput<typeof source>>({
  method: 'POST',
  path: '/api/v1/files',
  about: 'Creates a file: fetches it from a URL, or returns a signed URL to upload it to.',
  caller: 'member',
  limit: INCOMING,
  body: source,
  replies: { 200: 'The signed URL to upload to, valid for an hour.', 201: 'The file was fetched and is stored.' },
  async run({ caller, body: { url, fileName }, id, hosts }, context) {
    const file = { organization: caller.organization, fileId: id };
    if (fileName !== '') return { status: 200, body: await requestUpload(context, { ...file, fileName }) };
    await importFile(context, { ...file, url, ownHosts: hosts });
    return { status: 201, body: { fileId: id } };
  },
  replay: {
    toStored(body) {
      const { uploadUrl: _signed, ...offer } = body as UploadOffer;
      return offer;
    },
    async renew(stored, caller, context) {
      const offer = stored as Omit<UploadOffer, 'uploadUrl'> | { fileId: string };
      return 'storagePath' in offer ? renewOffer(context, caller.organization, offer) : offer;
    },
  },
});

/** The routes of files. */
const MISSING = 'Missing required fields';

const MAX_TYPE = 255;

const completion = v.object({
  fileName: required('fileName', MISSING),
  mimeType: v.pipe(required('mimeType', MISSING), v.maxLength(MAX_TYPE, `mimeType has at most ${MAX_TYPE} characters`)),
  size: requiredBytes('size', MISSING),
  storagePath: required('storagePath', MISSING),
});

/** Descriptions for the contract; a function, so that bundles leave it out. */
export const uploadTexts = () => ({
  fileName: 'The name that the file is stored and downloaded under; its extension must be an accepted type.',
  mimeType: `The media type that downloads are served with, such as \`application/pdf\`; at most ${MAX_TYPE} characters.`,
  size: 'The number of bytes that were uploaded; any other number is rejected.',
  storagePath: 'The `storagePath` of the answer that gave the upload URL, unchanged.',
});

const complete = route<FilesContext, 'member', v.InferOutput<typeof completion>>({
  method: 'POST',
  path: '/api/v1/files/:fileId/complete',
  about: 'Completes an upload: the uploaded bytes become the file.',
  caller: 'member',
  limit: INCOMING,
  body: completion,
  replies: { 201: 'The file exists and its content is fixed.' },
  async run({ caller, body, params: { fileId = '' } }, context) {
    await completeUpload(context, { ...body, organization: caller.organization, fileId });
    return { status: 201, body: { fileId } };
  },
});

/** The fields that a single file and a list entry share. */
function fileView({ fileId, fileName, mimeType, size, createdAt }: StoredFile & { fileId: string }): FileInList {
  return { fileId, fileName, mimeType, size, createdAt: toIsoTime(createdAt) };
}

const get = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/files/:fileId',
  about: 'Returns a file, with a signed URL to download it from for ten minutes.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The file with its download URL.' },
  async run({ caller, params: { fileId = '' } }, context) {
    const file = await getFile(context, { organization: caller.organization, fileId });
    const urls = { url: file.url, urlExpiresAt: toIsoTime(file.urlExpiresAt) };
    return { status: 200, body: { ...fileView({ ...file, fileId }), ...urls } };
  },
});

const list = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/files',
  about: 'Lists the files, the newest first.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'One page of the files.' },
  async run({ caller, query }, context) {
    const { rows, next = null } = await listFiles(context, { organization: caller.organization, ...pageIn(query) });
    return { status: 200, body: { files: rows.map(fileView), nextCursor: next } };
  },
});

const remove = route<FilesContext, 'member'>({
  method: 'DELETE',
  path: '/api/v1/files/:fileId',
  about: 'Deletes a file and its content.',
  caller: 'member',
  limit: WRITES,
  replies: { 204: 'The file is deleted; its id returns 404 from now on.' },
  async run({ caller, params: { fileId = '' } }, context) {
    await deleteFile(context, { organization: caller.organization, fileId });
    return { status: 204 };
  },
});

export const fileRoutes: Route<FilesContext>[] = [addFile, complete, get, list, remove];
