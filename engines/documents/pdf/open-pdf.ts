/** Opens a PDF with nothing beside it: no fonts, no network, no drawing. */
import { unreadable } from '../failure.ts';

type Pdfjs = typeof import('unpdf/pdfjs');
export type Pdf = Awaited<ReturnType<Pdfjs['getDocument']>['promise']>;
export type PdfPage = Awaited<ReturnType<Pdf['getPage']>>;

export async function loadPdfjs(): Promise<Pdfjs> {
  // pdf.js wants to know the class when it is loaded; only drawing would use it.
  Reflect.set(globalThis, 'DOMMatrix', Reflect.get(globalThis, 'DOMMatrix') ?? class DOMMatrix {});
  return import('unpdf/pdfjs');
}

export async function openPdf(bytes: Buffer): Promise<Pdf> {
  const { getDocument, VerbosityLevel } = await loadPdfjs();
  const task = getDocument({
    data: new Uint8Array(bytes),
    verbosity: VerbosityLevel.ERRORS,
    disableFontFace: true,
    useSystemFonts: false,
    isOffscreenCanvasSupported: false,
    isImageDecoderSupported: false,
    useWasm: false,
    enableXfa: false,
  });
  try {
    return await task.promise;
  } catch (cause) {
    const { name } = cause as Error;
    throw cause instanceof RangeError
      ? cause
      : unreadable(name === 'PasswordException' ? 'encrypted' : 'corrupt', cause);
  }
}
