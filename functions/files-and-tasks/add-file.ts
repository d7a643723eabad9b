/** `POST /files`, in its two modes: the service fetches an address, or gives one to upload to. */
import * as v from 'valibot';
import { importFile } from '../../shared/files/import.ts';
import { renewOffer, requestUpload, type UploadOffer } from '../../shared/files/upload.ts';
import type { Limit } from '../../shared/limits/rate-limit.ts';
import { route } from '../http/route.ts';
import type { FilesContext } from './api.ts';
import { optional } from './schema.ts';

/** Shared by all that brings files in. */
export const INCOMING: Limit = { name: 'files', minute: 600, inBlocks: true };

const source = v.pipe(
  v.object({ url: optional('url'), fileName: optional('fileName') }),
  v.check(({ url, fileName }) => url !== '' || fileName !== '', 'Missing required fields'),
  v.check(({ url, fileName }) => url === '' || fileName === '', 'Provide either url or fileName, not both'),
);

export const addFile = route<FilesContext, 'member', v.InferOutput<typeof source>>({
  method: 'POST',
  path: '/api/v1/files',
  about: 'Brings a file in: by its address, or by a signed address to upload it to.',
  caller: 'member',
  limit: INCOMING,
  body: source,
  replies: { 200: 'The address to upload to, valid for an hour.', 201: 'The file was fetched.' },
  async run({ caller, body: { url, fileName }, id, hosts }, context) {
    const file = { organization: caller.organization, fileId: id };
    if (fileName !== '') return { status: 200, body: await requestUpload(context, { ...file, fileName }) };
    await importFile(context, { ...file, url, ownHosts: hosts });
    return { status: 201, body: { fileId: id } };
  },
  replay: {
    kept(body) {
      const { uploadUrl: _signed, ...offer } = body as UploadOffer;
      return offer;
    },
    async again(kept, caller, context) {
      const offer = kept as Omit<UploadOffer, 'uploadUrl'> | { fileId: string };
      return 'storagePath' in offer ? renewOffer(context, caller.organization, offer) : offer;
    },
  },
});
