// Rules: generic names such as "password" or "secret", with a value that looks like one. pattern.h
// defines the pattern language.
#include "judgement/redaction/rule.h"

namespace belljar::judgement::redaction {
namespace {

// A value: up to a blank, a quote, or a character that ends a statement.
#define BJ_VALUE(least) R"(([^\s\r\n\0\e"'`,;<>\\&|)]{)" least R"(,}))"

constexpr Rule kGeneralRules[] = {
    Named("password",
          "(?:password|passwd|passphrase|_pwd|_pass)"
          R"(%q([^\r\n\0\e"'`\\]{4,}))",
          "{'password': 'open, sesame & more 1'}", "password = \"The password must be long\"",
          Password),
    Named("password", "(?:password|passwd|passphrase|passwort|contrasena)%=" BJ_VALUE("5"),
          "db_password = \"hunter2!\"", "password = getpass()", Password),
    Named("password", "(?:pgpassword|mysql_pwd|_pwd|_pass|userpwd)%=" BJ_VALUE("5"),
          "DB_PASS=7%w{8}", "user_pass = None", Password),
    Named("password", "pass%=" BJ_VALUE("5"), "export PASS=7%w{8}", "bypass=7%w{8}", PassValue),
    Named("password", R"(identified\s{1,8}by\s{1,8}["']([^\r\n\0\e"'`\\]{4,}))",
          "CREATE USER u IDENTIFIED BY '7%w{8}'", "identified by 'your_password'", Password),
    Named("password",
          R"(identified\s{1,8}with\s{1,8}["']{0,1}[a-z0-9_]{1,64}["']{0,1}\s{1,8}(?:by|as))"
          R"(\s{1,8}["']([^\r\n\0\e"'`\\]{4,}))",
          "IDENTIFIED WITH caching_sha2_password BY '7%w{8}'",
          "identified with plugin by 'your_password'", Password),
    Named("password",
          R"((?:with|encrypted|login|user)\s{1,8}password\s{1,8}["']([^\r\n\0\e"'`\\]{4,}))",
          "ALTER ROLE r WITH PASSWORD '7%w{8}'", "with password 'your_password'", Password),
    Named("password", R"((?:password|passwd)>([^\s\r\n<>]{5,256})</)",
          "<password>7%w{10}</password>", "<password>optional</password>", Password),
    Named("password", R"(--password\s([^\s\r\n"'`\\]{6,256}))", "tool --password 7%w{10} x",
          "tool --password TEXT", Password),
    // define('DB_PASSWORD', '…'), os.putenv("PASSWORD", "…")
    Named("password",
          R"((?:password|passwd|_pass|_pwd|secret|_token)["'],\s{0,4}["']([^\r\n\0\e"'`\\]{6,}))",
          "define('DB_PASSWORD', '7%w{12}');", "define('DB_PASSWORD', 'your_password');",
          DefinedValue),
    Named(
        "password",
        R"((?:password|passwd|_pass|_pwd|secret|token|api_key)["']?[\r\n]{1,2}\s{0,24}value:\s["']?)" BJ_VALUE(
            "6"),
        "- name: DB_PASSWORD\n  value: \"7%w{12}\"", "- name: DB_PASSWORD\n  value: required",
        Password),
    Named("password",
          R"((?:mysql|mysqldump|mysqladmin|mariadb)\s-u\s?[a-z0-9_.]{1,64}\s-p)" BJ_VALUE("5"),
          "mysql -uroot -p7%w{10} db", "mysql -u root -ppassword", Password),
    Named("password", R"(login\s-u\s[^\s\r\n]{1,64}\s-p\s["']?)" BJ_VALUE("5"),
          "docker login -u me -p 7%w{12}", "docker login -u me -p $PASS", Password),
    Named("password", R"((?:requirepass|bindpw|masterauth|redis-cli\s-a)\s["']?)" BJ_VALUE("5"),
          "requirepass 7%w{12}", "requirepass required", Password),
    Named("token",
          R"(--(?:token|api-key|apikey|auth-token|access-token)\s([A-Za-z0-9_/+~=-]{16,256}))",
          "tool --token %w{32} x", "--token IDENTIFIER_OF_IT", SecretValue),
    Named("secret", "secret%=" BJ_VALUE("10"), "client_secret: '%w{24}'",
          "secret = os.environ['SECRET']", SecretValue),
    Named("secret", "app_key%=(base64:%6{43}=)", "APP_KEY=base64:%6{43}=", "app_key = base64",
          Plausible),
    Named("api-key", "(?:api_key|api-key|apikey)%=" BJ_VALUE("10"), "api_key: %w{24}",
          "api_key = config.api_key_v2", SecretValue),
    Named("access-key",
          "(?:access|account|auth|master|signing|encryption|private|service|shared|storage)[_-]key%"
          "=" BJ_VALUE("12"),
          "ENCRYPTION_KEY=%w{32}", "access_key = ${ACCESS_KEY}", SecretValue),
    Named("token", "token%=" BJ_VALUE("12"), "access_token=%w{30}",
          "tokenizer = AutoTokenizer2.from_pretrained(x)", SecretValue),
    Named("credential", "(?:credential|credentials|passcode)%=" BJ_VALUE("8"),
          "credential: \"7%w{16}\"", "credentials = 'include'", SecretValue),
};

}  // namespace

std::span<const Rule> GeneralRules() { return kGeneralRules; }

}  // namespace belljar::judgement::redaction
