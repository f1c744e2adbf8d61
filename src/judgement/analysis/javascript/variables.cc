// Environment variables that programs should not read or set.
#include <string_view>

#include "judgement/analysis/javascript/names.h"
#include "judgement/analysis/name_set.h"

namespace belljar::judgement::analysis::javascript {

bool IsSecretVariable(std::string_view name) {
  static const NameSet names = {"AWS_SECRET_ACCESS_KEY",
                                "AWS_ACCESS_KEY_ID",
                                "AWS_SESSION_TOKEN",
                                "GITHUB_TOKEN",
                                "GH_TOKEN",
                                "NPM_TOKEN",
                                "SSH_AUTH_SOCK",
                                "AZURE_CLIENT_SECRET",
                                "GOOGLE_APPLICATION_CREDENTIALS",
                                "KUBECONFIG"};
  return names.contains(name);
}

bool IsSteeringVariable(std::string_view name) {
  static const NameSet names = {"NODE_OPTIONS",
                                "LD_PRELOAD",
                                "LD_LIBRARY_PATH",
                                "PATH",
                                "NODE_PATH",
                                "BASH_ENV",
                                "PYTHONPATH",
                                "LD_AUDIT",
                                "NODE_TLS_REJECT_UNAUTHORIZED",
                                "NODE_EXTRA_CA_CERTS",
                                "HTTP_PROXY",
                                "HTTPS_PROXY",
                                "ELECTRON_RUN_AS_NODE"};
  return names.contains(name);
}

}  // namespace belljar::judgement::analysis::javascript
