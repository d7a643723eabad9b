/** The part of Tesseract's API that is used here; the package has no type declarations. */
declare module 'tesseract.js-core/tesseract-core-simd-lstm.js' {
  type Api = {
    Init(folder: string, language: string, mode: number): number;
    SetImageFile(orientation: number, angle: number): number;
    GetInputImage(): Pix;
    Recognize(monitor: null): number;
    GetTSVText(page: number): string;
    Clear(): void;
  };
  /** An image of Leptonica: rows of 32-bit words, `wpl` words a row. */
  type Pix = {
    get_w(): number;
    get_h(): number;
    get_d(): number;
    get_wpl(): number;
    get_data(): number;
  };
  type Core = {
    FS: { writeFile(path: string, bytes: Uint8Array): void; unlink(path: string): void };
    getValue(address: number, type: 'i32'): number;
    TessBaseAPI: new () => Api;
  };
  function openCore(options: {
    wasmBinary: Uint8Array;
    print(line: string): void;
    printErr(line: string): void;
  }): Promise<Core>;
  export = openCore;
}
