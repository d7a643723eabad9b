/** The part of Tesseract's API that is used here; the package has no type declarations. */
declare module 'tesseract.js-core/tesseract-core-simd-lstm.js' {
  type Api = {
    Init(folder: string, language: string, mode: number): number;
    SetImageFile(orientation: number, angle: number): number;
    Recognize(monitor: null): number;
    GetUTF8Text(): string;
    Clear(): void;
  };
  type Core = {
    FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
    TessBaseAPI: new () => Api;
  };
  function openCore(options: {
    wasmBinary: Uint8Array;
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<Core>;
  export = openCore;
}
