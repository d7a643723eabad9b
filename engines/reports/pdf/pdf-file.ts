/** The objects of a PDF and the resulting file, without random ids and without a clock. */
import { createHash } from 'node:crypto';
import { deflateSync } from 'node:zlib';

export type PdfFile = {
  /** Reserves a number, so that an object can be referred to before it exists. */
  reserve: () => number;
  put: (id: number, body: string) => number;
  add: (body: string) => number;
  /** Compresses the bytes; `more` contains further entries of the stream's dictionary. */
  addStream: (bytes: Uint8Array, more?: string) => number;
  bytes: (trailer: { root: number; info: number }) => Uint8Array;
};

export const ref = (id: number): string => `${id} 0 R`;

/** Encodes text of the document's metadata, not of its pages. */
export const textString = (text: string): string =>
  `<FEFF${Buffer.from(text, 'utf16le').swap16().toString('hex').toUpperCase()}>`;

export function pdfFile(): PdfFile {
  const objects: Buffer[] = [];
  const reserve = () => objects.push(Buffer.alloc(0));
  const set = (id: number, body: Buffer) => {
    objects[id - 1] = Buffer.concat([Buffer.from(`${id} 0 obj\n`), body, Buffer.from('\nendobj\n')]);
    return id;
  };
  const put = (id: number, body: string) => set(id, Buffer.from(body, 'latin1'));
  return {
    reserve,
    put,
    add: (body) => put(reserve(), body),
    addStream: (bytes, more = '') => {
      const packed = deflateSync(bytes);
      const head = `<< /Length ${packed.length} /Filter /FlateDecode ${more} >>\nstream\n`;
      return set(reserve(), Buffer.concat([Buffer.from(head, 'latin1'), packed, Buffer.from('\nendstream')]));
    },
    bytes: (trailer) => fileBytes(objects, trailer),
  };
}

/** The bytes above 127 in the second line mark the file as binary. */
const HEAD = Buffer.from('%PDF-1.7\n%\xe2\xe3\xcf\xd3\n', 'latin1');

function fileBytes(objects: readonly Buffer[], { root, info }: { root: number; info: number }): Uint8Array {
  let offset = HEAD.length;
  const places = objects.map((object) => {
    const at = offset;
    offset += object.length;
    return `${String(at).padStart(10, '0')} 00000 n \n`;
  });
  const body = Buffer.concat([HEAD, ...objects]);
  const id = createHash('sha256').update(body).digest('hex').slice(0, 32);
  const table = `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${places.join('')}`;
  const trailer = `trailer\n<< /Size ${objects.length + 1} /Root ${ref(root)} /Info ${ref(info)} /ID [<${id}> <${id}>] >>`;
  return Buffer.concat([body, Buffer.from(`${table}${trailer}\nstartxref\n${offset}\n%%EOF\n`)]);
}
