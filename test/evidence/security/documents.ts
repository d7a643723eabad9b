/** Documents that attacks upload, and tasks that read them. */
import { deflateSync } from 'node:zlib';
import type { Attacked } from './attack-target.ts';
import { bearer } from './operations.ts';
import type { Tenant } from './tenants.ts';

const HOOK = 'https://hooks.customer-b.com/x';

/** One page whose stream unpacks into three million operators: small to upload and slow to read. */
export function slowPdf(): Buffer {
  const stream = deflateSync(Buffer.from(`${'q '.repeat(3_000_000)}BT /F 12 Tf (x) Tj ET`));
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R]/Count 1>>',
    '<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>>>>>',
    `<</Length ${stream.length}/Filter/FlateDecode>>stream\n${stream.toString('latin1')}\nendstream`,
    '<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>',
  ];
  let text = '%PDF-1.7\n';
  const offsets = objects.map((object, at) => {
    const offset = text.length;
    text += `${at + 1} 0 obj\n${object}\nendobj\n`;
    return `${String(offset).padStart(10, '0')} 00000 n \n`;
  });
  const table = `xref\n0 6\n0000000000 65535 f \n${offsets.join('')}`;
  return Buffer.from(`${text}${table}trailer<</Size 6/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF`, 'latin1');
}

export async function upload(on: Attacked, { apiKey }: Tenant, fileName: string, bytes: Uint8Array): Promise<string> {
  const headers = bearer(apiKey);
  const { body: offer } = await on.send('files', { path: '/api/v1/files', headers, json: { fileName } });
  await fetch(String(offer.uploadUrl), { method: 'PUT', body: Buffer.from(bytes) });
  const { fileId, storagePath } = offer;
  const json = { storagePath, fileName, mimeType: 'application/octet-stream', size: bytes.length };
  const path = `/api/v1/files/${fileId}/complete`;
  const { status } = await on.send('files', { path, headers, json });
  if (status !== 201) throw new Error(`${fileName} was not uploaded: ${status}`);
  return String(fileId);
}

export async function askAbout(on: Attacked, { apiKey }: Tenant, fileId: string): Promise<string> {
  const input = { type: 'chat', prompt: 'What does the file say?', fileIds: [fileId] };
  const json = { namespace: 'n', delivery: { type: 'webhook', config: { endpoint: HOOK } }, input };
  const { status, body } = await on.send('files', { path: '/api/v1/tasks', headers: bearer(apiKey), json });
  if (status !== 201) throw new Error(`The task was not taken: ${status} ${JSON.stringify(body)}`);
  return String(body.taskId);
}
