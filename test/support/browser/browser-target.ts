/** Installs the browser before tests in it. */
import { chromium, demandProgram, pdftoppm } from './programs.ts';

export async function setup(): Promise<void> {
  await demandProgram(chromium);
  await demandProgram(pdftoppm);
}
