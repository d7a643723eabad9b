/** How the rehearsal itself reaches an emulator: past the recorder. */
import { REGION } from './template.ts';

/** The only key that S3Proxy knows; the others take any. */
export const KEY = { accessKeyId: 'test', secretAccessKey: 'test' };

export const connection = (endpoint: string) => ({ endpoint, region: REGION, credentials: KEY });
