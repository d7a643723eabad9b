/** The entry point of the console's script. */
import { render } from 'preact';
import { App } from './app.tsx';

const place = document.querySelector('#app');
if (place) render(<App />, place);
