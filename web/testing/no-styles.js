// In place of style sheets and fonts: jsdom draws nothing.
export default 'file-of-the-build';
