/** The console: what the page's one script begins with. */
import { render } from 'preact';
import { App } from './app.tsx';

const place = document.querySelector('#app');
if (place) render(<App />, place);
