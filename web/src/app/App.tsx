/** The app over a store and a router: the look, and everything below it. */
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode } from 'react';
import { Provider } from 'react-redux';
import { RouterProvider } from 'react-router-dom';
import { theme } from '../ui/theme.js';
import type { Store } from './store.js';

type Router = React.ComponentProps<typeof RouterProvider>['router'];

export function App({ store, router }: { readonly store: Store; readonly router: Router }) {
  return (
    <StrictMode>
      <Provider store={store}>
        {/* The system's mode alone counts; nothing is stored, so nothing has to be read before the first paint. */}
        <ThemeProvider theme={theme} storageManager={null}>
          <CssBaseline />
          <RouterProvider router={router} />
        </ThemeProvider>
      </Provider>
    </StrictMode>
  );
}
