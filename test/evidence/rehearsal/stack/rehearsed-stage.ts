/** The settings of the stage that is rehearsed. */
import { MODEL_SETTINGS } from '../internet/internet.ts';
import { SENDER } from './create-mail-set.ts';

export const STAGE = {
  stage: 'rehearsal',
  origins: 'https://console.rehearsal.example',
  sender: SENDER,
  ...MODEL_SETTINGS,
};
