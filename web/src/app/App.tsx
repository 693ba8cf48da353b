/**
 * The app over a store and a router. BrowserRouter is enough: RTK Query reads the data, so the larger data
 * router would only add weight to the first load.
 */
import { CacheProvider } from '@emotion/react';
import CssBaseline from '@mui/material/CssBaseline';
import { ThemeProvider } from '@mui/material/styles';
import { StrictMode, type ComponentType, type ReactNode } from 'react';
import { Provider } from 'react-redux';
import { styleCache } from '../shared/ui/style-cache.js';
import { theme } from '../shared/ui/theme.js';
import { Root } from './Root.js';
import type { Store } from './store.js';

interface AppProps {
  readonly store: Store;
  readonly Router: ComponentType<{ children: ReactNode }>;
}

export function App({ store, Router }: AppProps) {
  return (
    <StrictMode>
      <Provider store={store}>
        <CacheProvider value={styleCache}>
          {/* The mode follows the system only. Nothing is stored, so nothing has to be read before the
              first paint. */}
          <ThemeProvider theme={theme} storageManager={null}>
            <CssBaseline />
            <Router>
              <Root />
            </Router>
          </ThemeProvider>
        </CacheProvider>
      </Provider>
    </StrictMode>
  );
}
