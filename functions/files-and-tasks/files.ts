/** Files: in by signed upload, out by signed address. */
import * as v from 'valibot';
import { completeUpload } from '../../shared/files/complete-upload.ts';
import { getFile } from '../../shared/files/get-file.ts';
import { requestUpload, type UploadOffer, uploadAddress } from '../../shared/files/request-upload.ts';
import { type Route, route } from '../http/route.ts';
import type { FilesContext } from './face.ts';
import { READS, required, requiredBytes } from './schema.ts';

const MISSING = 'Missing required fields';
const WRITES = { name: 'files', minute: 600 };

const upload = v.object({ fileName: required('fileName', MISSING) });

const completion = v.object({
  fileName: required('fileName', MISSING),
  mimeType: required('mimeType', MISSING),
  size: requiredBytes('size', MISSING),
  storagePath: required('storagePath', MISSING),
});

const requestRoute = route<FilesContext, 'member', v.InferOutput<typeof upload>>({
  method: 'POST',
  path: '/api/v1/files',
  about: 'Gives a signed address to upload one file to.',
  caller: 'member',
  limit: WRITES,
  body: upload,
  replies: { 200: 'The address, valid for an hour.' },
  async run({ caller, body, id }, context) {
    const offer = await requestUpload(context, {
      organization: caller.organization,
      fileId: id,
      fileName: body.fileName,
    });
    return { status: 200, body: offer };
  },
  async refresh(body, _caller, { blobs }) {
    const offer = body as UploadOffer;
    return { ...offer, uploadUrl: await uploadAddress(blobs, offer.storagePath) };
  },
});

const completeRoute = route<FilesContext, 'member', v.InferOutput<typeof completion>>({
  method: 'POST',
  path: '/api/v1/files/:fileId/complete',
  about: 'Makes the file of an upload.',
  caller: 'member',
  limit: WRITES,
  body: completion,
  replies: { 201: 'The file exists.' },
  async run({ caller, body, params: { fileId = '' } }, context) {
    await completeUpload(context, { ...body, organization: caller.organization, fileId });
    return { status: 201, body: { fileId } };
  },
});

const getRoute = route<FilesContext, 'member'>({
  method: 'GET',
  path: '/api/v1/files/:fileId',
  about: 'Shows a file, with an address to download it from for ten minutes.',
  caller: 'member',
  limit: READS,
  replies: { 200: 'The file.' },
  async run({ caller, params: { fileId = '' } }, context) {
    const { fileName, mimeType, size, url, ...file } = await getFile(context, {
      organization: caller.organization,
      fileId,
    });
    const urlExpiresAt = new Date(file.urlExpiresAt).toISOString();
    const createdAt = new Date(file.createdAt).toISOString();
    return { status: 200, body: { fileId, fileName, mimeType, size, url, urlExpiresAt, createdAt } };
  },
});

export const fileRoutes: Route<FilesContext>[] = [requestRoute, completeRoute, getRoute];
