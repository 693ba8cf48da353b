/** The printed version of a page: black on white, without the app around it. */
import GlobalStyles from '@mui/material/GlobalStyles';
import { styled } from '@mui/material/styles';
import { useEffect, useState, type ReactNode } from 'react';
import { createPortal } from 'react-dom';

const PRINTED = 'encore-printed';

const ONLY_THE_SHEET = (
  <GlobalStyles
    styles={{
      [`@media screen`]: { [`.${PRINTED}`]: { display: 'none' } },
      '@media print': {
        [`body > *:not(.${PRINTED})`]: { display: 'none !important' },
        'html, body': { background: '#fff !important', colorScheme: 'light', overflow: 'visible !important' },
      },
      '@page': { margin: '18mm 16mm' },
    }}
  />
);

// Ink is the same in both modes.
const Sheet = styled('div')({
  color: '#000',
  fontSize: '10.5pt',
  lineHeight: 1.45,
  '& svg, & .dot': { fill: '#000 !important' },
  '& h1': { fontSize: '17pt', margin: '18pt 0 4pt', fontWeight: 640, fontStretch: '113%' },
  '& p': { margin: '0 0 10pt' },
  '& table': { width: '100%', borderCollapse: 'collapse' },
  '& th, & td': {
    textAlign: 'left',
    padding: '5pt 8pt 5pt 0',
    borderBottom: '0.5pt solid #bbb',
    verticalAlign: 'top',
  },
  '& thead th': { borderBottom: '1pt solid #000' },
  '& th.figure, & td.figure': { textAlign: 'right', paddingRight: 0, whiteSpace: 'nowrap' },
  '& tr': { breakInside: 'avoid' },
});

/** The element for the sheet, and the function that prints it. */
export function usePrint(): { readonly sheet: ReactNode; readonly print: (content: ReactNode) => void } {
  const [content, setContent] = useState<ReactNode>(null);
  useEffect(() => {
    if (content === null) return undefined;
    const done = () => setContent(null);
    window.addEventListener('afterprint', done);
    window.print();
    return () => window.removeEventListener('afterprint', done);
  }, [content]);
  const sheet =
    content === null
      ? null
      : createPortal(
          <div className={PRINTED}>
            {ONLY_THE_SHEET}
            <Sheet>{content}</Sheet>
          </div>,
          document.body,
        );
  return { sheet, print: setContent };
}
